import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../../test/bin.js";
import { converse, useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();

describe("mgmt login --browser", () => {
  // The package that opens browsers reads the environment of its process.
  beforeAll(ensureBuilt);

  it("opens the browser with a page that only this user can read, and waits on loopback for its redirect", async () => {
    const browser = join(dirname(account.file), "browser.sh");
    writeFileSync(
      browser,
      `#!/bin/sh\nenv > "${browser}.env"\necho "$1" > "${browser}.part" && mv "${browser}.part" "${browser}.opened"\n`,
      { mode: 0o700 },
    );
    const line = ["auth", "login", "--browser", "--base-url", account.server.baseUrl, "-o", "json"];
    const env = { ...account.env, BROWSER: browser };
    let opened = "";
    const { status, json } = await converse(line, env, async (url) => {
      while (!existsSync(`${browser}.opened`)) await new Promise((resolve) => setTimeout(resolve, 20));
      const page = fileURLToPath(readFileSync(`${browser}.opened`, "utf8").trim());
      expect(statSync(page).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(page)).mode & 0o777).toBe(0o700);
      const [, target = ""] = /content="0;url=([^"]*)"/.exec(readFileSync(page, "utf8")) ?? [];
      expect(target.replaceAll("&#38;", "&")).toBe(url);
      // The variables of the command, such as MGMT_TOKEN, are not for the browser.
      expect(Object.keys(env).filter((name) => name.startsWith("MGMT_"))).not.toEqual([]);
      expect(readFileSync(`${browser}.env`, "utf8")).not.toMatch(/^MGMT_/m);
      opened = page;
      const { redirect } = await account.server.engine.oauth.consent({ url });
      expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
      expect((await fetch(redirect)).status).toBe(200);
      return "";
    });
    expect({ status, json }).toEqual({ status: 0, json: expect.objectContaining({ profile: "default" }) });
    expect(existsSync(dirname(opened))).toBe(false);
  });

  it("opens no browser if the page cannot be written: others could read the URL in its arguments", async () => {
    const folder = dirname(account.file);
    const browser = join(folder, "browser.sh");
    writeFileSync(browser, `#!/bin/sh\ntouch "${browser}.opened"\n`, { mode: 0o700 });
    const line = ["login", "--browser", "--base-url", account.server.baseUrl];
    const env = { ...account.env, BROWSER: browser, HOME: folder, TMPDIR: join(folder, "missing") };
    const { status } = await converse(line, env, async (url) => {
      const { redirect } = await account.server.engine.oauth.consent({ url });
      expect((await fetch(redirect)).status).toBe(200);
      return "";
    });
    expect({ status, isOpened: existsSync(`${browser}.opened`) }).toEqual({ status: 0, isOpened: false });
  });

  it("stops listening and stores nothing on Ctrl-C, and exits with 130", async () => {
    const line = ["login", "--browser", "--base-url", account.server.baseUrl];
    let callback = "";
    const { status } = await converse(line, { ...account.env, BROWSER: "true" }, (url, child) => {
      callback = new URL(url).searchParams.get("redirect_uri") ?? "";
      child.kill("SIGINT");
      return "";
    });
    expect(status).toBe(130);
    await expect(fetch(callback)).rejects.toThrow();
    expect(account.stored()).toEqual({ profiles: {} });
  });
});
