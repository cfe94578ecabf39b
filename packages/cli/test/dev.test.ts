import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "./bin.js";
import { inProcess, runInProcess } from "./in-process.js";
import type { Result } from "./result.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-dev-"));
beforeAll(ensureBuilt);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("mgmt dev", () => {
  it("prints one line when it is ready, runs until Ctrl-C, and exits with 0", async () => {
    let connected: unknown;
    const { status, stdout, stderr } = await runInProcess(
      ["dev", "--ephemeral", "--port", "0", "--output", "json"],
      {
        interruptWhen: async (line) => {
          // The shape of the line is asserted below.
          const { baseUrl, token } = JSON.parse(line) as Record<string, string>;
          const env = { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token };
          const mgmt = inProcess({ env });
          const created = await mgmt`projects create shop --region eu-central-1 --wait --output json`;
          const { database } = created.json as { database: { connectionString: string } };
          const client = new pg.Client({ connectionString: database.connectionString });
          await client.connect();
          connected = (await client.query("select 1 as one")).rows;
          await client.end();
          return true;
        },
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(connected).toEqual([{ one: 1 }]);
    expect(stdout.split("\n")).toHaveLength(2);
    const ready: unknown = JSON.parse(stdout);
    expect(ready).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      authUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      controlUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_control$/),
      controlSecretFile: expect.any(String),
      token: expect.stringMatching(/^ey/),
      workspaceId: expect.stringMatching(/^wksp_/),
      caFile: expect.stringMatching(/ca\.pem$/),
      postgresPort: expect.any(Number),
      pid: process.pid,
    });
  });

  it("registers itself as profile local, for logins and decisions about approvals", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mgmt-dev-local-"));
    const env = { MGMT_CONFIG_DIR: folder };
    let [login, approvals]: (Result | undefined)[] = [];
    const { status, stderr } = await runInProcess(["dev", "--ephemeral", "--port", "0", "-o", "json"], {
      env,
      interruptWhen: async (line) => {
        // The shape of the line is asserted above.
        const { token } = JSON.parse(line) as Record<string, string>;
        const words = ["login", "--profile", "local", "--with-token"];
        login = await runInProcess(words, { env, stdin: token ?? "" });
        approvals = await inProcess({ env })`dev approvals list --output json`;
        return true;
      },
    });
    rmSync(folder, { recursive: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(login).toMatchObject({ status: 0, stderr: "Logged in to profile local.\n" });
    expect(approvals).toMatchObject({ status: 0, stdout: "[]\n" });
  });

  it("registers the clients of --oauth-client, under their ids with and without prefix", async () => {
    const clients = [
      ["--oauth-client", "clpublishedprogram=http://localhost/auth/callback"],
      ["--oauth-client", "itgr_clpublishedprogram=com.example.app:/callback,https://app.example/callback"],
    ].flat();
    const statuses: number[] = [];
    const args = ["dev", "--ephemeral", "--port", "0", "--output", "json", ...clients];
    const { status, stderr } = await runInProcess(args, {
      interruptWhen: async (line) => {
        // The shape of the line is asserted above.
        const { authUrl } = JSON.parse(line) as Record<string, string>;
        for (const [client_id, redirect_uri] of [
          ["clpublishedprogram", "http://localhost:51234/auth/callback"],
          ["itgr_clpublishedprogram", "com.example.app:/callback"],
          ["clpublishedprogram", "https://app.example/callback"],
          ["clpublishedprogram", "https://other.example/callback"],
          ["clotherprogram", "http://localhost:51234/auth/callback"],
        ] as const) {
          const challenge = { code_challenge: "c".repeat(43), code_challenge_method: "S256" };
          const query = new URLSearchParams({
            response_type: "code",
            client_id,
            redirect_uri,
            scope: "workspace:admin",
            ...challenge,
          });
          statuses.push((await fetch(`${String(authUrl)}/authorize?${String(query)}`)).status);
        }
        return true;
      },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(statuses).toEqual([200, 200, 200, 400, 400]);
  });

  it.each([
    ["clprogram", "has no ="],
    ["=http://localhost/callback", "has no client id"],
    ["clprogram=", "has an empty redirect URI"],
    ["clprogram=http://localhost/callback,", "has an empty redirect URI"],
  ])("refuses --oauth-client %s before it starts anything", async (value, problem) => {
    const result = await runInProcess(["dev", "--ephemeral", "--oauth-client", value, "-o", "json"]);
    expect(result).toMatchObject({ status: 2, stdout: "" });
    expect(JSON.parse(result.stderr)).toMatchObject({
      error: {
        code: "usage:invalid_value",
        message: expect.stringContaining(problem),
        hint: expect.stringContaining("ID=REDIRECT_URI"),
      },
    });
  });

  it.each([
    ["clprogram=http://app.example/callback", "is http, which only localhost"],
    ["my program=https://app.example/callback", "is not a client id"],
    ["mgmtsamplewebapplication=https://app.example/callback", "is confidential"],
  ])("stops with one error when --oauth-client %s cannot be registered", async (value, problem) => {
    const args = ["dev", "--ephemeral", "--port", "0", "--oauth-client", value, "-o", "json"];
    const result = await runInProcess(args);
    expect(result).toMatchObject({ status: 1, stdout: "" });
    expect(JSON.parse(result.stderr)).toMatchObject({
      error: {
        code: "platform:invalid_oauth_client",
        message: expect.stringContaining(problem),
        hint: expect.stringContaining("redirect URIs"),
      },
    });
  });

  it("prints what to type next", async () => {
    const { stdout, status } = await runInProcess(["dev", "--ephemeral", "--port", "0"], {
      interruptWhen: () => true,
    });
    expect(status).toBe(0);
    for (const next of [
      "export MGMT_BASE_URL=http://127.0.0.1:",
      "export MGMT_TOKEN=ey",
      "mgmt projects create",
      "mgmt login --profile local",
      "Ctrl-C",
    ]) {
      expect(stdout).toContain(next);
    }
  });

  it("reports a port in use, and what to do", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { status, stdout, stderr } = await runInProcess(["dev", "--ephemeral", "--port", String(port)]);
    other.close();
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/platform:port_taken.*hint: .*--port/s);
  });

  it("reports a folder that is not a data directory, and leaves it unchanged", async () => {
    writeFileSync(join(folder, "notes.txt"), "mine");
    const { status, stderr } = await runInProcess(["dev", "--port", "0", "--data-dir", folder, "-o", "json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "platform:data_dir_corrupt", hint: expect.any(String) },
    });
  });

  it("says what to install if the platform is missing", () => {
    const copy = mkdtempSync(join(tmpdir(), "mgmt-copy-"));
    cpSync(dirname(bin), copy, { recursive: true });
    writeFileSync(join(copy, "package.json"), '{"type":"module"}');
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, "mgmt.js"), "dev"], {
      encoding: "utf8",
    });
    rmSync(copy, { recursive: true });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/platform:not_installed.*npm install @mgmt\/platform/s);
  });
});
