import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readServeConfig } from "./read-config.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-serve-"));
  mkdirSync(join(folder, "conf"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (text: string | undefined, env: NodeJS.ProcessEnv = {}, flags = {}) => {
  const file = join(folder, "conf", "serve.yaml");
  if (text !== undefined) writeFileSync(file, text);
  return readServeConfig({ file: text === undefined ? undefined : file, cwd: folder, env, flags });
};

const required = "databaseUrl: postgres://u:hidden@h/db\nkeyFile: keys\n";

describe("the configuration of a service", () => {
  it("has paths relative to its folder, and is overridden by variables and then by flags", async () => {
    const text = `${required}listen: 127.0.0.1:1\nadminListen: 127.0.0.1:3\ntls: { certFile: a.pem, keyFile: /b.pem }\n`;
    const env = { MGMT_SERVE_LISTEN: "127.0.0.1:2", MGMT_SERVE_ADMIN_LISTEN: "127.0.0.1:4" };
    expect(await read(text, env, { adminListen: "127.0.0.1:5", baseUrl: undefined })).toEqual({
      databaseUrl: "postgres://u:hidden@h/db",
      keyFile: join(folder, "conf", "keys"),
      listen: "127.0.0.1:2",
      adminListen: "127.0.0.1:5",
      tls: { certFile: join(folder, "conf", "a.pem"), keyFile: "/b.pem" },
    });
  });

  it("needs no file", async () => {
    const env = { MGMT_SERVE_DATABASE_URL: "postgres://h/db", MGMT_SERVE_KEY_FILE: "keys" };
    expect(await read(undefined, env)).toEqual({
      databaseUrl: "postgres://h/db",
      keyFile: join(folder, "keys"),
    });
  });

  it.each([
    [`${required}trustproxy: true`, "trustproxy is not a setting (did you mean trustProxy?)"],
    [`${required}limits: { request: 5 }`, "limits.request is not a setting (did you mean requests?)"],
    [`${required}limits: { windowSeconds: 0 }`, "limits.windowSeconds must be >= 1"],
    ["keyFile: keys", "databaseUrl is missing (or set MGMT_SERVE_DATABASE_URL)"],
    [`${required}tls: {}`, "tls.certFile is missing; tls.keyFile is missing"],
    [`${required}listen: hidden`, "listen must be HOST:PORT"],
    [`${required}baseUrl: hidden`, "baseUrl must be an http or https URL without a user and a query"],
    [
      `${required}baseUrl: https://ada:hidden@h`,
      "baseUrl must be an http or https URL without a user and a query",
    ],
    [
      `${required}databaseSslMode: allow`,
      "databaseSslMode must be one of disable, prefer, require, verify-ca, verify-full",
    ],
    [`${required}logLevel: hidden`, "logLevel must be one of trace, debug, info, warn, error, silent"],
    ["- hidden", "it must be a mapping of settings"],
    ["hidden", "it must be a mapping of settings"],
    ["", "keyFile is missing"],
    [`${required}keyFile: hidden`, "line 3 is not valid YAML (DUPLICATE_KEY)"],
    ["databaseUrl: [hidden", "is not valid YAML"],
    ["a: &a hidden\nb: *a", "a is not a setting"],
    ["a: 1\nb: *none", "its aliases cannot be resolved"],
  ])("is refused with what is wrong, and without its values: %j", async (text, problem) => {
    const error: unknown = await read(text).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining(problem) });
    expect(String(error)).not.toContain("hidden");
  });

  it.each(["config", "keyFile", "listen", "adminListen"])(
    "is refused with a connection string in a flag, which it does not repeat: %s",
    async (name) => {
      const { config: file, ...flags } = { config: undefined, [name]: "postgres://ada:hidden@h/db" };
      const error: unknown = await readServeConfig({ file, cwd: folder, env: {}, flags }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({
        code: "serve:config_invalid",
        hint: expect.stringContaining("MGMT_SERVE_"),
      });
      expect(String(error)).not.toContain("hidden");
    },
  );

  it.each([
    ["missing.yaml", "it does not exist"],
    ["conf", "it is a folder"],
  ])("is refused if its file cannot be read: %s", async (file, problem) => {
    await expect(readServeConfig({ file, cwd: folder, env: {}, flags: {} })).rejects.toMatchObject({
      code: "serve:config_unreadable",
      message: expect.stringContaining(problem),
    });
  });
});
