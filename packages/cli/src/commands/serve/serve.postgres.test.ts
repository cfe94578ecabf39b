import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { adminPassword } from "../../../../platform/test/cluster.js";
import { TestService } from "../../../../platform/test/service.js";
import { bin, ensureBuilt } from "../../../test/bin.js";
import { expectValid, schemaOf, withoutOtherFields } from "../../../test/command-schemas.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";

const service = new TestService({ initializes: false });
const folder = temporaryFolder();
const config = join(folder, "serve.yaml");
const keyFile = join(folder, "keys");

/** Everything that commands have printed. */
let outputText = "";

const envOf = (databaseUrl: string): NodeJS.ProcessEnv => ({
  MGMT_CONFIG_DIR: join(folder, "config"),
  MGMT_SERVE_DATABASE_URL: databaseUrl,
});

/** Runs a command of the service. */
const serve = async (line: string, env = envOf(service.buildUrl("service"))): Promise<Result> => {
  const result = await runInProcess(["serve", ...line.split(" "), "--config", config], { cwd: folder, env });
  outputText += result.stdout + result.stderr;
  return result;
};

/** Runs a command that prints JSON, and checks that it has its schema. */
const serveJson = async (line: string): Promise<unknown> => {
  const { status, stdout, stderr } = await serve(`${line} --output json`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const json: unknown = JSON.parse(stdout);
  const [group = "", verb = ""] = line.split(" ");
  const isGroup = ["workspaces", "tokens", "agents", "approvals", "jobs"].includes(group);
  const { operationId, result } = await schemaOf(`serve ${isGroup ? `${group} ${verb}` : group}`);
  expectValid(operationId === null ? withoutOtherFields(result) : result, json);
  return json;
};

/** A process of `mgmt serve`. */
class ServerProcess {
  readonly #child: ChildProcess;
  readonly lines: Record<string, unknown>[] = [];
  stderr = "";
  readonly exit: Promise<unknown>;

  constructor(env: NodeJS.ProcessEnv, ...flags: string[]) {
    this.#child = spawn(process.execPath, [bin, "serve", "--config", config, ...flags], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { stdout, stderr } = this.#child;
    if (!stdout || !stderr) throw new Error("The process has no output");
    createInterface({ input: stdout }).on("line", (line) => {
      outputText += line;
      this.lines.push(JSON.parse(line));
    });
    stderr.setEncoding("utf8").on("data", (text: string) => {
      outputText += text;
      this.stderr += text;
    });
    this.exit = once(this.#child, "close").then(([status, signal]) => status ?? signal);
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  async waitFor(message: string): Promise<Record<string, unknown>> {
    return vi.waitFor(
      () => {
        const line = this.lines.find(({ msg }) => msg === message);
        if (line === undefined) throw new Error(`No line has the message ${message}: ${this.stderr}`);
        return line;
      },
      { timeout: 20_000 },
    );
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  async call(path: string, token: string, method = "GET"): Promise<{ status: number; json: unknown }> {
    const { address } = await this.waitFor("ready");
    const response = await fetch(String(address) + path, {
      method,
      headers: { authorization: `Bearer ${token}`, connection: "close", "content-type": "application/json" },
      ...(method === "POST" && { body: JSON.stringify({ name: "shop", region: "eu-central-1" }) }),
    });
    const text = await response.text();
    return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
  }
}

const start = (...flags: string[]): ServerProcess =>
  new ServerProcess(envOf(service.buildUrl("service")), ...flags);

const readSecret = (file: string): Record<string, string> =>
  JSON.parse(readFileSync(join(folder, file), "utf8"));

beforeAll(async () => {
  await ensureBuilt();
  writeFileSync(
    config,
    "keyFile: keys\nlisten: 127.0.0.1:0\nbaseUrl: https://api.example.com\ndrainSeconds: 60\n",
  );
});

describe("mgmt serve", () => {
  it("checks, initializes and runs a service, and shows no secret unless asked", async () => {
    const missing = await serve("check");
    expect(missing.stderr).toContain("serve:check_failed");
    expect(missing.stdout).toContain("failure  keyFile");
    expect(missing.stdout).toMatch(/failure {2}records +The database service has no records/);
    expect(missing.stdout).toContain("ok       privileges");

    const init = "init --workspace Engines --owner ada@example.com";
    expect(await serveJson(`${init} --secret-file token.json`)).toMatchObject({ value: "********" });
    const { value: token = "", workspaceId = "" } = readSecret("token.json");
    expect(statSync(join(folder, "token.json")).mode & 0o777).toBe(0o600);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(await serve(`${init} --secret-file other.json`)).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("serve:already_initialized"),
    });
    expect(existsSync(join(folder, "other.json"))).toBe(false);
    expect(await serveJson("check")).not.toContainEqual(expect.objectContaining({ status: "failure" }));

    const server = start();
    expect(await server.call("/v1/projects", token)).toMatchObject({ status: 200 });
    expect(await serveJson("status")).toMatchObject({ databases: {} });
    expect(await serve("migrate")).toMatchObject({ status: 0 });
    expect(await serveJson("reencrypt")).toMatchObject({ unusedKeyIds: [] });
    await serveJson("workspaces create Compilers --owner grace@example.com");
    expect(await serveJson("workspaces list")).toMatchObject([
      { id: workspaceId, name: "Engines" },
      { name: "Compilers", members: [{ email: "grace@example.com" }] },
    ]);

    await serveJson(`tokens create ci --workspace ${workspaceId} --secret-file ci.json`);
    const ci = readSecret("ci.json");
    expect(await server.call("/v1/projects", String(ci["value"]))).toMatchObject({ status: 200 });
    expect(await serveJson(`tokens list --workspace ${workspaceId}`)).toHaveLength(2);
    const gone = `tokens delete ${String(ci["id"])} --workspace ${workspaceId} --yes`;
    await serveJson(gone);
    expect(await serve(gone)).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("serve:not_found"),
    });
    expect(await server.call("/v1/projects", String(ci["value"]))).toMatchObject({ status: 401 });

    expect(
      await serve("agents create builder --sponsor nobody@example.com --secret-file a.json"),
    ).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("nobody@example.com is not a member of a workspace"),
    });
    await serve("agents create builder --sponsor Ada@example.com --secret-file agent.json --expires-in 1h");
    const agent = readSecret("agent.json");
    const created = await server.call("/v1/projects", String(agent["value"]), "POST");
    const { id: projectId } = (created.json as { data: { id: string } }).data;
    const refused = await server.call(`/v1/projects/${projectId}`, String(agent["value"]), "DELETE");
    expect(refused.status).toBe(403);
    const [approval] = (await serveJson("approvals list")) as { id: string; request: string }[];
    expect(approval).toMatchObject({ request: `DELETE /v1/projects/${projectId}` });
    await serveJson(`approvals approve ${String(approval?.id)}`);
    expect(await serve(`approvals deny ${String(approval?.id)}`)).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("serve:approval_refused"),
    });
    expect(await server.call(`/v1/projects/${projectId}`, String(agent["value"]), "DELETE")).toMatchObject({
      status: 204,
    });

    await serveJson("jobs list");
    expect(await serveJson("jobs retry --all")).toEqual([]);

    server.kill("SIGTERM");
    expect(await server.exit).toBe(0);
    expect(server.stderr).toBe("");
    expect(server.lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(["ready", "request", "draining", "stopped"]),
    );
    for (const secret of [
      token,
      ci["value"],
      agent["value"],
      adminPassword,
      readFileSync(keyFile, "utf8").trim(),
    ])
      expect(outputText).not.toContain(secret);
    const secretOutput = await serve(
      `tokens create shown --workspace ${workspaceId} --show-secrets --query value`,
    );
    expect(secretOutput.stdout).toMatch(/^ey/);
  });

  it("answers although nobody reads its log", async () => {
    const server = start();
    await server.waitFor("ready");
    server.closeOutput();
    const { value = "" } = readSecret("token.json");
    for (let count = 0; count < 3; count += 1)
      expect(await server.call("/v1/projects", value)).toMatchObject({ status: 200 });
    server.kill("SIGHUP");
    expect(await server.exit).toBe(0);
  });

  it("ends at once on a second signal, although a request is in progress", async () => {
    const server = start();
    const { address } = await server.waitFor("ready");
    const { hostname, port } = new URL(String(address));
    const { value = "" } = readSecret("token.json");
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /v1/projects HTTP/1.1\r\nHost: api.example.com\r\nAuthorization: Bearer ${value}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    await once(socket, "connect");
    server.kill("SIGINT");
    await server.waitFor("draining");
    let status: unknown;
    void server.exit.then((ended) => (status = ended));
    // npm and npx repeat a signal of the terminal, so that one is ignored that comes too soon.
    await vi.waitFor(() => {
      server.kill("SIGTERM");
      expect(status).toBe(143);
    });
  });

  it.each([
    ["a port at which nothing listens", "closed"],
    ["a server that accepts connections and never answers", "silent"],
  ])("says that Postgres cannot be reached, and exits with 9: %s", async (_, kind) => {
    const listener = createServer().listen(0, "127.0.0.1");
    await once(listener, "listening");
    // A listener has an address of a network here.
    const { port } = listener.address() as AddressInfo;
    if (kind === "closed") listener.close();
    else onTestFinished(() => void listener.close());
    const url = `postgres://service:canary@127.0.0.1:${String(port)}/service`;
    const server = new ServerProcess(envOf(url));
    expect(await server.exit).toBe(9);
    expect(server.lines).toEqual([]);
    expect(JSON.parse(server.stderr)).toMatchObject({
      error: {
        code: "serve:database_unreachable",
        hint: expect.any(String),
        next: [["mgmt", "serve", "check", "--config", config]],
      },
    });
    expect(server.stderr).not.toContain("canary");
  });

  it("says that its port is in use, and leaves nothing running", async () => {
    const server = start();
    const { address } = await server.waitFor("ready");
    const second = start("--listen", new URL(String(address)).host);
    expect(await second.exit).toBe(1);
    expect(JSON.parse(second.stderr)).toMatchObject({ error: { code: "serve:cannot_listen" } });
  });

  it("prints the SQL for privileges that the role does not have", async () => {
    const admin = await service.connect("postgres", "postgres");
    await admin.query(`create role guest login password '${adminPassword}'`);
    await admin.query("grant connect on database postgres to guest");
    await admin.end();
    const env = {
      ...envOf(service.buildUrl("unmade", "guest")),
      MGMT_SERVE_KEY_FILE: join(folder, "unmade-keys"),
    };
    const { stdout, stderr } = await serve("check", env);
    expect(stderr).toContain("serve:check_failed");
    expect(stdout).toContain('ALTER ROLE "guest" CREATEDB;');
    expect(stdout).toContain('GRANT "pg_signal_backend" TO "guest";');
    expect(await serve("init --workspace A --owner a@b --secret-file unmade.json", env)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("The database unmade cannot be created"),
    });
    expect(existsSync(join(folder, "unmade.json"))).toBe(false);
  });
});
