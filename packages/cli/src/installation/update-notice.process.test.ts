import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { version } from "../../package.json";
import { ensureBuilt } from "../../test/bin.js";
import { temporaryFolder } from "../../test/folders.js";
import { untilUnused } from "../../test/home-folders.js";
import { inPty } from "../../test/pty.js";
import { run } from "../../test/terminal.js";

const folder = temporaryFolder();
const asked: string[] = [];
/** Stands for the registry that npm is configured with. */
const registry = createServer(({ url = "" }, response) => {
  asked.push(url);
  const versions = { "99.0.0": { name: "@mgmt/cli", version: "99.0.0" } };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ name: "@mgmt/cli", "dist-tags": { latest: "99.0.0" }, versions }));
});

let tests = 0;
let home: string;
let stored: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  await ensureBuilt();
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  registry.close();
});
beforeEach(() => {
  asked.length = 0;
  home = join(folder, String((tests += 1)));
  mkdirSync(join(home, "cache/mgmt"), { recursive: true, mode: 0o700 });
  stored = join(home, "cache/mgmt/latest-version");
  env = {
    HOME: home,
    XDG_CACHE_HOME: join(home, "cache"),
    MGMT_CONFIG_DIR: join(home, "config"),
    MGMT_NO_UPDATE_NOTIFIER: "",
    npm_config_registry: `http://127.0.0.1:${String((registry.address() as AddressInfo).port)}/`,
  };
});

afterEach(() => untilUnused(home));

const store = (text: string): void => writeFileSync(stored, text, { mode: 0o600 });

/** Runs a command that needs no service, on a terminal. */
const screen = async (more: NodeJS.ProcessEnv = {}, words = ["help", "output"]): Promise<string> => {
  const seen = await inPty(words, [], { ...env, ...more });
  expect(seen.status).toBe(0);
  return seen.screen;
};

const notice = "is available, and this is";

describe("the update notice", () => {
  it("tells once what npm found in the background of an earlier run", async () => {
    expect(await screen()).not.toContain(notice);
    await vi.waitFor(() => expect(readFileSync(stored, "utf8")).toBe("99.0.0\n"));
    expect(asked).toEqual(["/@mgmt%2fcli"]);
    expect(await screen()).toContain(
      `mgmt 99.0.0 is available, and this is ${version}. To update, run: npm install --global @mgmt/cli@latest`,
    );
    expect(await screen()).not.toContain(notice);
    expect(readFileSync(stored, "utf8")).toBe("");
    expect(asked).toHaveLength(1);
  });

  it.each([
    ["in CI", { CI: "true" }, []],
    ["with MGMT_NO_UPDATE_NOTIFIER", { MGMT_NO_UPDATE_NOTIFIER: "1" }, []],
    ["with NO_UPDATE_NOTIFIER", { NO_UPDATE_NOTIFIER: "1" }, []],
    ["for a program that reads JSON", {}, ["--output", "json"]],
  ])("is not printed, and nothing is looked up, %s", async (_, more, words) => {
    const line = ["config", "list", ...words];
    expect(await screen(more, line)).not.toContain(notice);
    expect(existsSync(stored)).toBe(false);
    store("99.0.0\n");
    expect(await screen(more, line)).not.toContain(notice);
    expect(await screen({}, ["config", "list"])).toContain(notice);
  });

  it("is not printed, and nothing is looked up, if the profile turns it off", async () => {
    for (const setting of [
      ["base-url", "http://127.0.0.1:1"],
      ["update-notice", "off"],
    ])
      expect(await run(["config", "set", ...setting], { env })).toMatchObject({ status: 0 });
    expect(await screen()).not.toContain(notice);
    expect(existsSync(stored)).toBe(false);
  });

  it("is not printed for a version that is not newer", async () => {
    store(version);
    expect(await screen()).not.toContain(notice);
  });

  it("is not printed, and nothing is looked up, off a terminal", async () => {
    await run(["help", "output"], { env });
    expect(existsSync(stored)).toBe(false);
    store("99.0.0\n");
    expect((await run(["help", "output"], { env })).stderr).toBe("");
    expect(readFileSync(stored, "utf8")).toBe("99.0.0\n");
  });

  it("never fails a command: without a registry, or a folder for what npm finds", async () => {
    expect(await screen({ npm_config_registry: "http://127.0.0.1:1/" })).not.toContain(notice);
    writeFileSync(join(home, "file"), "");
    expect(await screen({ XDG_CACHE_HOME: join(home, "file") })).not.toContain(notice);
  });
});
