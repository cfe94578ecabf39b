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
