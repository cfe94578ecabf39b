import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";

const folder = temporaryFolder();
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const databaseUrl = "databaseUrl: postgres://ada:canary@127.0.0.1:1/db\nkeyFile: keys\n";
write("typo.yaml", `${databaseUrl}trustproxy: true\n`);
write("service.yaml", `${databaseUrl}listen: 127.0.0.1:0\n`);

describe("mgmt serve", () => {
  it.each([
    [
      "serve --config typo.yaml",
      2,
      "serve:config_invalid",
      "trustproxy is not a setting (did you mean trustProxy?)",
    ],
    ["serve --config none.yaml", 2, "serve:config_unreadable", "it does not exist"],
    ["serve", 2, "serve:config_invalid", "databaseUrl is missing (or set MGMT_SERVE_DATABASE_URL)"],
    ["serve jobs retry --config service.yaml", 2, "usage:invalid", "Pass ids of jobs, or --all"],
    ["serve jobs retry a --all --config service.yaml", 2, "usage:invalid", "Pass ids of jobs, or --all"],
    ["serve --config -", 2, "usage:invalid", "--config must be a file, not -"],
    ["serve --config=", 2, "usage:invalid", "--config must not be empty"],
    [
      "serve --config postgres://ada:canary@h/db",
      2,
      "serve:config_invalid",
      "--config is a connection string",
    ],
    [
      "serve --listen postgres://ada:canary@h/db",
      2,
      "serve:config_invalid",
      "--listen is a connection string",
    ],
    ["serve --config service.yaml --listen here", 2, "serve:config_invalid", "listen must be HOST:PORT"],
    [
      "serve --config service.yaml --base-url https://ada:canary@h",
      2,
      "serve:config_invalid",
      "baseUrl must be",
    ],
    [
      "serve --database-url postgres://ada:canary@h",
      2,
      "usage:secret_in_arguments",
      "--database-url is a secret",
    ],
    [
      "serve check --cluster-url postgres://ada:canary@h",
      2,
      "usage:secret_in_arguments",
      "--cluster-url is a secret",
    ],
    ["serve --config service.yaml -o yaml", 2, "usage:invalid", "mgmt serve writes lines of JSON"],
    ["serve --config service.yaml", 1, "serve:key_file_unreadable", "cannot be read"],
    ["serve init --config service.yaml --workspace Acme", 3, "usage:missing", "Missing --owner <email>"],
    ["serve tokens list --config service.yaml", 3, "usage:missing", "Missing --workspace <id>"],
    ["serve tokens list --workspace ../a --config service.yaml", 2, "usage:invalid", "--workspace cannot be"],
    [
      "serve tokens delete a --workspace b --config service.yaml",
      3,
      "confirmation:needed",
      "Confirmation is needed",
    ],
    ["serve approvals approve ../a --config service.yaml", 2, "usage:invalid", "<approval-id> cannot be"],
    [
      "serve approvals approve a --window 2d --config service.yaml",
      2,
      "usage:invalid_value",
      "--window cannot be",
    ],
    [
      "serve agents create a --sponsor b@c --expires-in 0 --config service.yaml",
      2,
      "usage:invalid_value",
      "--expires-in must",
    ],
    [
      "serve agents create a --sponsor b@c --expires-in soon --config service.yaml",
      2,
      "usage:invalid_value",
      "--expires-in cannot",
    ],
    [
      "serve init --workspace A --owner b@c --config service.yaml",
      2,
      "secrets:not_shown",
      "printed only on a terminal",
    ],
    [
      "serve tokens create a --workspace b --config service.yaml",
      2,
      "secrets:not_shown",
      "printed only on a terminal",
    ],
    [
      "serve agents create a --sponsor b@c --config service.yaml",
      2,
      "secrets:not_shown",
      "printed only on a terminal",
    ],
    [
      "serve init --workspace A --owner b@c --config service.yaml --show-secrets --fields keyFile",
      2,
      "secrets:not_shown",
      "--fields leaves them out",
    ],
    [
      "serve init --workspace A --owner b --config service.yaml --show-secrets",
      2,
      "serve:value_invalid",
      "must be an email address",
    ],
  ])("refuses with its code, and repeats no password: mgmt %s", async (line, status, code, message) => {
    const result = await runInProcess(line.split(" "), { cwd: folder });
    const { stdout, stderr } = result;
    expect({ status: result.status, stdout, stderr }).toEqual({
      status,
      stdout: "",
      stderr: expect.stringContaining(code),
    });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("canary");
    expect(existsSync(join(folder, "keys"))).toBe(false);
  });

  it("names the command that helps, with the same settings", async () => {
    const { stderr } = await runInProcess(["serve", "--config", "service.yaml"], { cwd: folder });
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        next: [
          ["mgmt", "serve", "check", "--config", "service.yaml"],
          ["mgmt", "serve", "init", "--help"],
        ],
      },
    });
  });

  it("explains errors to a person at a terminal", async () => {
    const env = { NO_COLOR: "1" };
    const { stderr } = await runInProcess(["serve"], { cwd: folder, env, terminal: true });
    expect(stderr).toContain("error: The configuration is not valid");
    expect(stderr).toContain("hint: mgmt serve schema prints all settings.");
  });

  it("prints the schema of its settings", async () => {
    expect((await runInProcess(["serve", "schema"])).json).toMatchObject({
      $schema: expect.stringContaining("json-schema.org"),
      properties: { databaseUrl: expect.anything() },
    });
  });
});
