import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../../bin.js";
import { run } from "../../terminal.js";
import { type Account, startAccount } from "./account.js";

beforeAll(ensureBuilt);

const preload = new URL("kill-after.mjs", import.meta.url).href;

/** Makes the newest access token one that must be refreshed. */
const expire = ({ file }: Account): void => {
  for (const path of [file, `${file}~default`]) {
    if (!existsSync(path)) continue;
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/("expiresAt":\s*)\d+/, "$11"));
  }
};

it.each([
  ["created the file for the refreshed login", "openSync:config.json~default"],
  ["wrote the refreshed login beside the profiles", "writeSync:config.json~default"],
  ["locked the profiles file", "link:config.json.lock"],
  ["wrote the profiles file", "renameSync:config.json"],
])("keeps a login of which four refreshes are killed right after they %s", async (_, step) => {
  const account = await startAccount();
  try {
    await account.login();
    const whoami = (env: NodeJS.ProcessEnv) =>
      run(["whoami", "-o", "json"], { env: { ...account.env, ...env } });
    for (let kill = 0; kill < 4; kill += 1) {
      expire(account);
      const killed = await whoami({ NODE_OPTIONS: `--import ${preload}`, KILL_AFTER: step });
      expect(killed).toMatchObject({ status: null, stdout: "" });
    }
    expire(account);
    expect(await whoami({})).toMatchObject({
      status: 0,
      json: { user: { email: account.server.engine.defaults.user.email } },
    });
    expect(readdirSync(dirname(account.file))).toEqual(["config.json"]);
  } finally {
    await account.close();
  }
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])("stores the refreshed login before %s ends the process", async (signal, status) => {
  const account = await startAccount();
  try {
    await account.login();
    const before = readFileSync(account.file, "utf8");
    expire(account);
    const step = "openSync:config.json~default";
    const env = { NODE_OPTIONS: `--import ${preload}`, KILL_AFTER: step, KILL_SIGNAL: signal };
    const ended = await run(["whoami", "-o", "json"], { env: { ...account.env, ...env } });
    expect([ended.status, ended.stdout]).toEqual([status, ""]);
    const [old, stored] = [before, readFileSync(account.file, "utf8")].map(
      (text) => /"refreshToken":\s*"([^"]+)"/.exec(text)?.[1],
    );
    expect(stored).toEqual(expect.any(String));
    expect(stored).not.toBe(old);
    expect(readdirSync(dirname(account.file))).toEqual(["config.json"]);
  } finally {
    await account.close();
  }
});
