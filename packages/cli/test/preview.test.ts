import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "./folders.js";
import { inProcess } from "./in-process.js";
import type { Mgmt } from "./result.js";
import { type Session, startSession } from "./terminal.js";

const root = temporaryFolder();
let session: Session;
let folder: string;
let env: NodeJS.ProcessEnv;
let projectId: string;
let sourceId: string;
let mgmt: Mgmt;
beforeEach(async () => {
  session = await startSession();
  folder = mkdtempSync(join(root, "preview-"));
  const project = await session.server.engine.seed.project({ name: "shop" });
  projectId = project.id;
  sourceId = project.database?.id ?? "";
  env = { ...session.env, MGMT_PROJECT_ID: projectId };
  mgmt = inProcess({ env, cwd: folder });
});
afterEach(() => session.close());

interface Up {
  databaseId: string;
  created: boolean;
  connectionString: string;
}

const git = (...args: string[]): void => {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  execFileSync("git", [...identity, ...args], { cwd: folder, stdio: "pipe" });
};

const databases = async (): Promise<{ id: string; name: string; source: object }[]> =>
  (await mgmt`databases list --project-id ${projectId} -o json`).json as {
    id: string;
    name: string;
    source: object;
  }[];

const branches = async (): Promise<string[]> =>
  ((await mgmt`projects branches list ${projectId} -o json`).json as { gitName: string }[]).map(
    ({ gitName }) => gitName,
  );

const writesSince = (before: number): string[] =>
  session.server.engine.requests
    .slice(before)
    .flatMap(({ method, operationId }) => (method === "GET" ? [] : [operationId ?? ""]));

describe("mgmt preview up", () => {
  it("creates one database however often it runs, and prints its connection string", async () => {
    const first = await mgmt`preview up --branch feature/cart -o json`;
    const second = await mgmt`preview up --branch feature/cart -o json`;
    expect([first.status, second.status]).toEqual([0, 0]);
    expect(first.json).toMatchObject({ branch: "feature/cart", created: true });
    const { databaseId, connectionString } = first.json as Up;
    expect(second.json).toEqual({ branch: "feature/cart", databaseId, connectionString, created: false });
    const all = await databases();
    expect(all).toHaveLength(2);
    expect(all.find(({ id }) => id === databaseId)).toMatchObject({
      name: "feature/cart",
      source: { type: "database", databaseId: sourceId },
    });
    const { stdout } = await mgmt`preview up --branch feature/cart`;
    expect(stdout).toBe(`${connectionString}\n`);
  });

  it("finds the database whose creation lost its response", async () => {
    session.server.engine.faults.add({ operation: "databases.create", drop: "after", times: 1 });
    expect((await mgmt`preview up --branch feature/cart`).status).toBe(0);
    expect(await databases()).toHaveLength(2);
  });

  it("uses the branch of the CI job, or of the folder", async () => {
    git("init", "--quiet", "--initial-branch", "from-git");
    const branchIn = async (variables: NodeJS.ProcessEnv): Promise<unknown> =>
      (await inProcess({ env: { ...env, ...variables }, cwd: folder })`preview up -o json`).json;
    expect(await branchIn({})).toMatchObject({ branch: "from-git" });
    expect(await branchIn({ GITHUB_REF_NAME: "7/merge", GITHUB_HEAD_REF: "pull" })).toMatchObject({
      branch: "pull",
    });
    expect(await branchIn({ CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "merge" })).toMatchObject({
      branch: "merge",
    });
  });

  it("writes an env file that only the user can read, and prints no password", async () => {
    writeFileSync(join(folder, "kept.env"), "A=1\n", { mode: 0o600 });
    const { stdout, stderr } = await mgmt`preview up --branch a --env-file kept.env --name TEST_URL -o json`;
    const content = readFileSync(join(folder, "kept.env"), "utf8");
    expect(content).toMatch(/^A=1\nTEST_URL="postgresql:\/\/.+"\n$/);
    const { password } = new URL(/"(.+)"/.exec(content)?.[1] ?? "");
    expect(stdout + stderr).not.toContain(password);
    await mgmt`preview up --branch a --file new.env`;
    expect(statSync(join(folder, "new.env")).mode & 0o777).toBe(0o600);
  });

  it("appends to the environment file of GitHub Actions, and masks the secrets first", async () => {
    writeFileSync(join(folder, "github.env"), "A=1\n");
    const variables = { GITHUB_ACTIONS: "true", GITHUB_ENV: join(folder, "github.env") };
    const actions = inProcess({ env: { ...env, ...variables }, cwd: folder });
    const { status, stdout, stderr } = await actions`preview up --branch a --env-file github.env`;
    expect(status).toBe(0);
    const url =
      /^A=1\nDATABASE_URL=(\S+)\n$/.exec(readFileSync(join(folder, "github.env"), "utf8"))?.[1] ?? "";
    const { password } = new URL(url);
    const masks = [...stderr.matchAll(/^::add-mask::(.+)$/gm)].map(([, value]) => value);
    expect(masks).toEqual(expect.arrayContaining([url, password]));
    const shown = stderr.replaceAll(/^::add-mask::.+\n/gm, "");
    expect(stdout + shown).not.toContain(password);
    const printed = await actions`preview up --branch a`;
    expect(printed.stderr).toContain(`::add-mask::${url}`);
  });

  it("waits until the database that it copies is ready", async () => {
    await session.server.engine.states.setDatabaseStatus(sourceId, "provisioning");
    setTimeout(() => void session.server.engine.states.setDatabaseStatus(sourceId, "ready"), 100);
    expect((await mgmt`preview up --branch a`).status).toBe(0);
  });

  it("exits with 8 if the database is not ready in time", async () => {
    await session.server.engine.states.setDatabaseStatus(sourceId, "provisioning");
    expect(await mgmt`preview up --branch a --timeout 200ms`).toMatchObject({ status: 8, stdout: "" });
  });

  it("prints its requests with --dry-run, and changes nothing", async () => {
    const before = session.server.engine.requests.length;
    const { json } = await mgmt`preview up --branch a --dry-run`;
    expect(json).toMatchObject([
      { method: "POST", url: expect.stringContaining("/branches"), body: { gitName: "a" }, id: "mgmt_id_1" },
      { method: "POST", body: { projectId, branchId: "mgmt_id_1", logicalId: "preview" } },
      { method: "POST", url: expect.stringContaining("/connections"), body: { databaseId: "mgmt_id_2" } },
    ]);
    expect(writesSince(before)).toEqual([]);
    await mgmt`preview up --branch a`;
    expect((await mgmt`preview up --branch a --dry-run`).json).toEqual([]);
  });

  it("refuses the default branch, and says what is missing", async () => {
    const before = session.server.engine.requests.length;
    expect(await mgmt`preview up --branch main`).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("preview:default_branch"),
    });
    expect(await mgmt`preview up`).toMatchObject({ status: 3, stderr: expect.stringContaining("--branch") });
    const elsewhere = inProcess({ env: session.env, cwd: folder });
    expect(await elsewhere`preview up --branch a`).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("--project-id"),
    });
    expect((await mgmt`preview up --branch a --name 1A`).status).toBe(2);
    expect((await mgmt`preview up --branch a --timeout soon`).status).toBe(2);
    expect((await mgmt`preview up --branch a --file a --env-file b`).status).toBe(2);
    expect(writesSince(before)).toEqual([]);
    expect((await elsewhere`preview up --branch a --project-id proj_000000000000000000000000`).status).toBe(
      6,
    );
  });

  it("refuses to guess which database to copy", async () => {
    const { seed } = session.server.engine;
    const { id } = await seed.project({ createDatabase: false });
    expect(await mgmt`preview up --branch a --project-id ${id}`).toMatchObject({
      status: 6,
      stderr: expect.stringContaining("has no database"),
    });
    await seed.database(id);
    await seed.database(id);
    expect(await mgmt`preview up --branch a --project-id ${id}`).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("database:several"),
    });
  });

  it("does not write a file that it cannot write, and exits with 1", async () => {
    mkdirSync(join(folder, "folder.env"));
    const { status, stderr } = await mgmt`preview up --branch a --env-file folder.env`;
    expect(status).toBe(1);
    expect(stderr).toContain("env:unwritable");
    expect(stderr).not.toContain("postgresql://");
  });
});

describe("mgmt preview down", () => {
  it("deletes the database and the branch, and succeeds if there is nothing left", async () => {
    await mgmt`preview up --branch feature/cart`;
    const first = await mgmt`preview down --branch feature/cart`;
    expect(first).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("Deleted branch feature/cart."),
    });
    const second = await mgmt`preview down --branch feature/cart`;
    expect(second).toMatchObject({ status: 0, stderr: expect.stringContaining("nothing to delete") });
    expect((await databases()).map(({ id }) => id)).toEqual([sourceId]);
    expect(await branches()).toEqual(["main"]);
  });

  it("keeps a branch with other databases, and never deletes those", async () => {
    await mgmt`preview up --branch a`;
    await mgmt`databases create other --project-id ${projectId} --branch-git-name a`;
    const { status, json } = await mgmt`preview down --branch a -o json`;
    expect({ status, json }).toMatchObject({ status: 0, json: { branch: "a", branchId: null } });
    expect((await databases()).map(({ name }) => name)).toContain("other");
  });

  it("refuses the default branch, and prints its requests with --dry-run", async () => {
    await mgmt`preview up --branch a`;
    const before = session.server.engine.requests.length;
    expect((await mgmt`preview down --branch main`).status).toBe(2);
    const { json, stderr } = await mgmt`preview down --branch a --dry-run`;
    expect(json).toMatchObject([{ method: "DELETE" }, { method: "DELETE" }]);
    expect(stderr).not.toContain("Deleted");
    expect(writesSince(before)).toEqual([]);
  });
});

describe("mgmt preview gc", () => {
  beforeEach(async () => {
    for (const branch of ["alive", "gone"]) await mgmt`preview up --branch ${branch}`;
    const origin = join(folder, "origin.git");
    git("init", "--quiet", "--bare", origin);
    git("init", "--quiet", "--initial-branch", "alive");
    git("commit", "--quiet", "--allow-empty", "--message", "first");
    git("remote", "add", "origin", origin);
  });

  it("deletes the databases whose git branch is gone, once that is confirmed", async () => {
    git("push", "--quiet", "origin", "alive");
    const before = session.server.engine.requests.length;
    expect(await mgmt`preview gc`).toMatchObject({ status: 3, stderr: expect.stringContaining("gone") });
    expect((await mgmt`preview gc --dry-run`).json).toHaveLength(2);
    expect(writesSince(before)).toEqual([]);
    const { status, json } = await mgmt`preview gc --yes -o json`;
    expect({ status, json }).toMatchObject({ status: 0, json: [{ branch: "gone" }] });
    expect(await branches()).toEqual(["main", "alive"]);
    expect(await mgmt`preview gc`).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("Every preview"),
    });
  });

  it("deletes nothing if the git branches are not known", async () => {
    const before = session.server.engine.requests.length;
    expect(await mgmt`preview gc --yes`).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("preview:no_git_branches"),
    });
    const failed = await mgmt`preview gc --yes --remote ${"https://user:hidden@127.0.0.1:1/a.git"}`;
    expect(failed).toMatchObject({ status: 1, stderr: expect.stringContaining("preview:git_failed") });
    expect(failed.stderr).not.toContain("hidden");
    expect(writesSince(before)).toEqual([]);
  });
});
