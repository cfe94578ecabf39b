import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawn, spawnSync } from "node:child_process";
import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { bin, ensureBuilt } from "../../../test/bin.js";
import { expectValid, schemaOf, withoutOtherFields } from "../../../test/command-schemas.js";
import { temporaryFolder } from "../../../test/folders.js";
import { inProcess, runInProcess } from "../../../test/in-process.js";

const folder = temporaryFolder();
beforeAll(ensureBuilt);

const configFolder = (): string => mkdtempSync(join(folder, "config-"));

describe("mgmt dev", () => {
  it("prints one line when it is ready, runs until Ctrl-C, and exits with 0", async () => {
    let connected: unknown;
    const { status, stdout, stderr } = await runInProcess(
      ["dev", "--ephemeral", "--port", "0", "--output", "json"],
      {
        env: { MGMT_CONFIG_DIR: configFolder() },
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
    expectValid(withoutOtherFields((await schemaOf("dev")).result), ready);
    expect(ready).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      authUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      controlUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_control$/),
      signInKeyFile: expect.stringMatching(/sign-in-key$/),
      controlSecretFile: expect.any(String),
      token: expect.stringMatching(/^ey/),
      workspaceId: expect.stringMatching(/^wksp_/),
      caFile: expect.stringMatching(/ca\.pem$/),
      postgresPort: expect.any(Number),
      copyMethod: expect.stringMatching(/^(?:clone|copy)$/),
      pid: process.pid,
    });
  });

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "ends in an orderly way on %s, also while it starts",
    async (signal) => {
      for (const isReady of [false, true]) {
        const config = configFolder();
        const dataDir = join(config, "data");
        const child = spawn(process.execPath, [bin, "dev", "--port", "0", "--data-dir", dataDir], {
          env: { ...process.env, MGMT_CONFIG_DIR: config },
          stdio: ["ignore", "pipe", "inherit"],
        });
        const ended = new Promise((resolve) => child.once("exit", (status, by) => resolve(by ?? status)));
        if (isReady) await new Promise((resolve) => child.stdout.once("data", resolve));
        else await vi.waitFor(() => expect(existsSync(join(dataDir, "platform.json"))).toBe(true));
        child.kill(signal);
        expect(await ended).toBe(0);
        expect(existsSync(join(dataDir, "platform.lock"))).toBe(false);
        expect(existsSync(join(dataDir, "postgres", "postmaster.pid"))).toBe(false);
      }
    },
  );

  it("prints commands that can be copied from a narrow terminal", async () => {
    const config = configFolder();
    const profiles = { local: { baseUrl: "https://api.example.com" } };
    writeFileSync(join(config, "config.json"), JSON.stringify({ version: 1, active: "local", profiles }));
    let signInKey: string | undefined;
    const { status, stdout } = await runInProcess(["dev", "--ephemeral", "--port", "0"], {
      env: { MGMT_CONFIG_DIR: config },
      terminal: true,
      columns: 40,
      interruptWhen: (text) => {
        const [, path] = /^ {2}(\/\S+sign-in-key)$/m.exec(text) ?? [];
        if (path !== undefined) signInKey = readFileSync(path, "utf8").trim();
        return text.includes("Press Ctrl-C");
      },
    });
    expect(status).toBe(0);
    expect(stdout.split("\n")).toContain(`  ${String(signInKey)}`);
    expect(stdout).toMatch(/\n {2}mgmt projects create shop --wait \\\n {6}--profile ephemeral-\d+\n/);
    expect(stdout).toMatch(/\n {2}export MGMT_TOKEN=\$\(mgmt auth token --profile ephemeral-\d+\)\n/);
    const sentences = stdout.split("\n").filter((line) => !line.startsWith(" "));
    for (const line of sentences) expect(line.length).toBeLessThanOrEqual(40);
  });

  it("ends on SIGTERM although a response is delayed", async () => {
    const config = configFolder();
    const child = spawn(process.execPath, [bin, "dev", "--ephemeral", "--port", "0", "-o", "json"], {
      env: { ...process.env, MGMT_CONFIG_DIR: config },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => child.once("exit", (status, by) => resolve(by ?? status)));
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = await once(child.stdout, "data");
    // The shape of the line is asserted above.
    const ready = JSON.parse(String(line)) as Record<"baseUrl" | "controlUrl" | "controlSecretFile", string>;
    const headers = {
      "x-mgmt-control-secret": readFileSync(ready.controlSecretFile, "utf8").trim(),
      "content-type": "application/json",
    };
    const faults = `${ready.controlUrl}/faults`;
    await fetch(faults, { method: "POST", headers, body: JSON.stringify({ latency: 600_000 }) });
    const delayed = fetch(`${ready.baseUrl}/v1/projects`).catch((error: unknown) => error);
    await vi.waitFor(async () => {
      expect(await (await fetch(faults, { headers })).json()).toMatchObject([{ struck: 1 }]);
    });
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(await delayed).toBeInstanceOf(TypeError);
  });

  it.each([
    [[], 201, 1],
    [["--unknown-fields", "refuse"], 422, 0],
  ] as const)("handles unknown body fields with the flags %j", async (flags, expected, lines) => {
    const statuses: number[] = [];
    const { status, stderr } = await runInProcess(
      ["dev", "--ephemeral", "--port", "0", "--output", "json", ...flags],
      {
        env: { MGMT_CONFIG_DIR: configFolder() },
        interruptWhen: async (line) => {
          // The shape of the line is asserted above.
          const { baseUrl, token } = JSON.parse(line) as Record<string, string>;
          for (const name of ["one", "two"]) {
            const response = await fetch(`${String(baseUrl)}/v1/projects`, {
              method: "POST",
              headers: { authorization: `Bearer ${String(token)}`, "content-type": "application/json" },
              body: JSON.stringify({ name, createDatabase: false, retired: true }),
            });
            statuses.push(response.status);
          }
          return true;
        },
      },
    );
    expect(status).toBe(0);
    expect(statuses).toEqual([expected, expected]);
    expect(stderr.match(/Ignored \/retired in the body of projects\.create/g) ?? []).toHaveLength(lines);
  });

  it("refuses another value of --unknown-fields", async () => {
    const result = await runInProcess(["dev", "--unknown-fields", "keep", "-o", "json"]);
    expect(result).toMatchObject({ status: 2, stdout: "" });
    expect(result.stderr).toContain("ignore, refuse");
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

  it.each([
    { where: "in a project", folder: "app", command: "npm install --save-dev @mgmt/platform@" },
    { where: "globally", folder: "lib", command: "npm install --global @mgmt/platform@" },
    {
      where: "by npx",
      folder: "_npx/4f",
      command: "npx --package @mgmt/cli@[0-9.]+ --package @mgmt/platform@",
    },
    { where: "by nothing", folder: undefined, command: "npm install --global @mgmt/platform@" },
  ])("names the command that installs the platform if the CLI is installed $where", ({ folder, command }) => {
    const base = mkdtempSync(join(tmpdir(), "mgmt-copy-"));
    const installed = folder === undefined ? base : join(base, folder, "node_modules/@mgmt/cli/dist");
    cpSync(dirname(bin), installed, { recursive: true });
    if (folder !== undefined && folder !== "lib") writeFileSync(join(base, folder, "package.json"), "{}");
    const results = ["dev", "serve"].map((word) =>
      spawnSync(process.execPath, [join(installed, "mgmt.js"), word], { encoding: "utf8" }),
    );
    rmSync(base, { recursive: true });
    for (const { status, stdout, stderr } of results) {
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(new RegExp(`platform:not_installed.*Run: ${command}\\d+\\.\\d+\\.\\d+`, "s"));
    }
  });
});
