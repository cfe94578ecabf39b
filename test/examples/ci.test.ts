import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { type MgmtClient, createClient } from "@mgmt/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract.js";

let server: RunningServer;
let client: MgmtClient;
let folder: string;
let environment: Record<string, string>;
let programFolder: string;
let program: string;

beforeAll(async () => {
  programFolder = await mkdtemp(join(tmpdir(), "mgmt-ci-program-"));
  program = join(programFolder, "preview-database.mjs");
  await build({
    entryPoints: [join(root, "examples/ci/preview-database.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: program,
  });
  server = await createServer({ engineOptions: { settings: { lifecycle: { provisioning: 10 } } } });
});
beforeEach(async () => {
  await server.engine.reset();
  folder = await mkdtemp(join(tmpdir(), "mgmt-ci-"));
  const token = await server.engine.tokens.service();
  client = createClient({ baseUrl: server.baseUrl, token });
  const project = await client.projects.create({ createDatabase: false });
  environment = {
    MGMT_BASE_URL: server.baseUrl,
    MGMT_TOKEN: token,
    MGMT_PROJECT_ID: project.id,
    MGMT_ENV_FILE: join(folder, "env"),
    PULL_REQUEST: "7",
  };
});
afterEach(async () => {
  server.engine.faults.clear();
  await rm(folder, { recursive: true });
});
afterAll(async () => {
  await server.close();
  await rm(programFolder, { recursive: true });
});

interface Ended {
  code: unknown;
  stdout: string;
  stderr: string;
}

/** Runs the program and checks that it prints no secret. */
const run = async (changes: Record<string, string> = {}): Promise<Ended> => {
  const { PATH = "" } = process.env;
  const options = { cwd: root, env: { PATH, ...environment, ...changes } };
  const ended = await new Promise<Ended>((resolve) => {
    execFile(process.execPath, [program], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
  for (const secret of ["postgres", environment["MGMT_TOKEN"] ?? ""]) {
    expect(ended.stdout + ended.stderr).not.toContain(secret);
  }
  return ended;
};

const lines = async (): Promise<string[]> =>
  (await readFile(environment["MGMT_ENV_FILE"] ?? "", "utf8")).trimEnd().split("\n");
const databases = () => client.databases.list().toArray();
/** Returns the current password of the database. */
const password = async (): Promise<string> => {
  const [database] = await databases();
  return database?.connections.at(-1)?.directConnection?.pass ?? "none";
};

it("creates one database per pull request, and a valid connection string in each run", async () => {
  const first = await run();
  expect(first).toMatchObject({ code: 0, stderr: "" });
  const [{ id } = { id: "" }] = await databases();
  expect(first.stdout).toContain(`Database ${id} in us-east-1: created.`);
  expect(await lines()).toEqual([expect.stringMatching(/^DATABASE_URL=postgres\S+$/)]);
  expect((await lines())[0]).toContain(await password());

  const second = await run();
  expect(second.stdout).toContain(`Database ${id} in us-east-1: already existed.`);
  expect((await lines()).at(-1)).toContain(await password());
  expect(new Set(await lines()).size).toBe(2);

  await run({ PULL_REQUEST: "8" });
  expect((await databases()).map(({ name }) => name)).toEqual(["pull-request-7", "pull-request-8"]);
});

it("creates one database with a valid connection string if the response to the create is lost", async () => {
  server.engine.faults.add({ operation: "databases.create", drop: "after", times: 1 });
  expect(await run()).toMatchObject({ code: 0 });
  expect(await databases()).toHaveLength(1);
  expect((await lines())[0]).toContain(await password());
});

it("creates a connection if the database has none left", async () => {
  await run();
  const [database] = await databases();
  for (const { id } of database?.connections ?? []) await client.connections.delete(id);
  expect(await run()).toMatchObject({ code: 0 });
  expect((await lines()).at(-1)).toContain(await password());
});

it("appends to an existing file and restricts it to its owner", async () => {
  const file = environment["MGMT_ENV_FILE"] ?? "";
  await writeFile(file, "CI=true\n", { mode: 0o644 });
  await run();
  expect(await lines()).toEqual(["CI=true", expect.stringMatching(/^DATABASE_URL=/)]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("names missing settings without sending a request", async () => {
  const before = server.engine.requests.length;
  expect(await run({ MGMT_TOKEN: "", PULL_REQUEST: "" })).toEqual({
    code: 2,
    stdout: "",
    stderr: "Set MGMT_TOKEN, PULL_REQUEST.\n",
  });
  expect(await run({ PULL_REQUEST: "main" })).toMatchObject({
    code: 2,
    stderr: "PULL_REQUEST must be the number of a pull request.\n",
  });
  expect(server.engine.requests).toHaveLength(before);
});

it("creates and rotates nothing if the connection string cannot be saved", async () => {
  const { code, stderr } = await run({ MGMT_ENV_FILE: join(folder, "nowhere", "env") });
  expect(code).toBe(1);
  expect(stderr).toContain("ENOENT");
  expect(await databases()).toEqual([]);
});

it("prints the code and hint of a service error and writes nothing", async () => {
  const gone = await run({ MGMT_PROJECT_ID: "proj_gone" });
  expect(gone).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("(project:not_found)") });
  const refused = await run({ MGMT_TOKEN: "hush-token" });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("(auth:unauthorized)") });
  expect(refused.stderr).not.toContain("hush-token");
  expect(await lines()).toEqual([""]);
});
