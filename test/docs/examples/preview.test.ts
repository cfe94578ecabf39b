import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { createClient, type Database } from "@mgmt/sdk";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { ensureBuilt } from "../../../packages/cli/test/bin.js";
import { root } from "../../../scripts/generate/contract/contract.js";
import { blocksOf } from "../markdown.js";

const example = join(root, "examples/pull-request-database");
const run = promisify(execFile);
const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
let server: RunningServer;
let token: string;
let folder: string;
let projectId: string;

beforeAll(async () => {
  await ensureBuilt();
  server = await createServer({ engineOptions: { settings: { lifecycle: { provisioning: 10 } } } });
  token = await server.engine.tokens.service();
  folder = mkdtempSync(join(tmpdir(), "mgmt-preview-"));
  // The package is not installed from a registry.
  const npx = `#!/bin/sh\nwhile [ "$1" != mgmt ]; do shift; done\nexec "$@"\n`;
  writeFileSync(join(folder, "npx"), npx, { mode: 0o755 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});
beforeEach(async () => {
  projectId = (await server.engine.seed.project({ name: "shop" })).id;
});

const copies = async (): Promise<Database[]> => {
  const client = createClient({ baseUrl: server.baseUrl, token });
  const databases = await client.projects.databases.list(projectId).toArray();
  return databases.filter(({ logicalId }) => logicalId?.startsWith("preview"));
};

/** Runs a script with the built command. Returns everything that it prints. */
const script = async (text: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const { PATH = "", HOME } = process.env;
  const { stdout, stderr } = await run("bash", ["-e", "-o", "pipefail", "-c", text], {
    cwd: root,
    env: {
      PATH: [folder, join(root, "node_modules/.bin"), PATH].join(":"),
      HOME,
      MGMT_CONFIG_DIR: folder,
      ...env,
    },
  });
  return stdout + stderr;
};

const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8")) as {
  version: string;
};

/** The variables of a job for a pull request of GitHub. */
const pullRequest = (): NodeJS.ProcessEnv => {
  const path = join(folder, "event.json");
  const head = { ref: "feature/cart", repo: { full_name: "acme/shop" } };
  writeFileSync(path, JSON.stringify({ pull_request: { head } }));
  return { GITHUB_HEAD_REF: "feature/cart", GITHUB_EVENT_PATH: path, GITHUB_REPOSITORY: "acme/shop" };
};

interface Action {
  inputs: Record<string, { default?: string }>;
  runs: { steps: { run: string; env: Record<string, string> }[] };
}

/** Runs the steps of the composite action as GitHub does. Returns the log with the masked values replaced. */
const runAction = async (inputs: Record<string, string>, env: NodeJS.ProcessEnv): Promise<string> => {
  const action = parse(readFileSync(join(example, "action.yml"), "utf8")) as Action;
  const defaults = Object.entries(action.inputs).map(([name, { default: value = "" }]) => [name, value]);
  const values: Record<string, string> = { ...Object.fromEntries(defaults), ...inputs };
  const filled = (text: string): string =>
    text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => values[name] ?? "");
  let log = "";
  for (const step of action.runs.steps) {
    const own = Object.entries(step.env).map(([name, value]) => [name, filled(value)]);
    log += await script(step.run, { ...env, GITHUB_ACTIONS: "true", ...Object.fromEntries(own) });
  }
  const masks = [...log.matchAll(/^::add-mask::(.+)\n/gm)].map(([, value = ""]) => value);
  return masks.reduce(
    (text, value) => text.replaceAll(value, "***"),
    log.replaceAll(/^::add-mask::.+\n/gm, ""),
  );
};

it("passes the connection string on without printing it (action.yml)", async () => {
  const file = join(folder, "github.env");
  writeFileSync(file, "");
  const inputs = { "project-id": projectId, "base-url": server.baseUrl, token };
  const env = { GITHUB_ENV: file, ...pullRequest() };
  const logs = [await runAction(inputs, env), await runAction(inputs, env)];
  const [copy, ...others] = await copies();
  expect(others).toEqual([]);
  const set = [...readFileSync(file, "utf8").matchAll(/^DATABASE_URL<<(\S+)\n(.+)\n\1$/gm)];
  const [first, second] = set.map(([, , value]) => value);
  expect(second).toBe(first);
  const { pass = "" } = copy?.connections[0]?.directConnection ?? {};
  expect(first).toMatch(/^postgresql:/);
  expect(first).toContain(pass);
  for (let round = 0; round < 2; round += 1) logs.push(await runAction({ ...inputs, command: "down" }, env));
  expect(await copies()).toEqual([]);
  expect(pass).not.toBe("");
  for (const log of logs) {
    expect(log).not.toContain(pass);
    expect(log).not.toContain(token);
  }
  await expect(runAction({ ...inputs, command: "sideways" }, env)).rejects.toMatchObject({ code: 2 });
});

interface Job {
  outputs?: Record<string, string>;
  steps: { id?: string; run?: string }[];
}

/**
 * Runs the scripts of a job of the docs as GitHub Actions does: variables in `GITHUB_ENV` are set for the steps that follow, and outputs
 * with a masked value are not passed on.
 */
const runJob = async (
  { steps, outputs = {} }: Job,
  needs: Record<string, Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<Record<string, string>> => {
  const runner = mkdtempSync(join(folder, "runner-"));
  const files = { GITHUB_OUTPUT: join(runner, "output"), GITHUB_ENV: join(runner, "env") };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const values = new Map<string, string>();
  let [log, variables] = ["", {}];
  for (const { id = "", run: text } of steps) {
    if (text === undefined) continue;
    const command = text
      .replaceAll("npx @mgmt/cli", "mgmt")
      .replace(/ --setup "[^"]+"/, "") // this service has no databases that a setup could run on
      .replaceAll(/npm (test|run report)/g, `node -e 'new URL(process.env.DATABASE_URL)'`)
      .replaceAll(
        /\$\{\{ needs\.(\w+)\.outputs\.(\w+) \}\}/g,
        (_, job: string, name: string) => needs[job]?.[name] ?? "",
      );
    log += await script(command, {
      ...env,
      ...variables,
      ...files,
      RUNNER_TEMP: runner,
      GITHUB_ACTIONS: "true",
    });
    for (const [, name = "", value = ""] of readFileSync(files.GITHUB_OUTPUT, "utf8").matchAll(
      /^(\w+)=(.*)$/gm,
    ))
      values.set(`\${{ steps.${id}.outputs.${name} }}`, value);
    const lines = readFileSync(files.GITHUB_ENV, "utf8").matchAll(/^(\w+)<<(\S+)\n(.+)\n\2$/gm);
    variables = Object.fromEntries([...lines].map(([, name, , value]) => [name, value]));
  }
  const masks = [...log.matchAll(/^::add-mask::(.+)$/gm)].map(([, value = ""]) => value);
  const passed = Object.entries(outputs).map(([name, expression]) => [name, values.get(expression) ?? ""]);
  return Object.fromEntries(passed.filter(([, value = ""]) => !masks.some((mask) => value.includes(mask))));
};

it("finds the same database in another job, by its branch or its id (docs/guides/ci.md)", async () => {
  const block = blocksOf("docs/guides/ci.md").find(
    ({ language, text }) => language === "yaml" && text.includes("preview up"),
  );
  const { jobs } = parse(block?.text ?? "") as { jobs: { migrate: Job; test: Job } };
  const env = {
    ...pullRequest(),
    MGMT_BASE_URL: server.baseUrl,
    MGMT_TOKEN: token,
    MGMT_PROJECT_ID: projectId,
  };
  const outputs = await runJob(jobs.migrate, {}, env);
  const [copy] = await copies();
  expect(outputs).toEqual({ database: copy?.id });
  await runJob(jobs.test, { migrate: outputs }, env);
  expect(await copies()).toHaveLength(1);
});

it("lets databases expire, runs the setup, and prunes (action.yml, workflow.yml)", async () => {
  const inputs = { "project-id": projectId, "base-url": server.baseUrl, token };
  const log = join(folder, "setup.log");
  const repository = { GITHUB_REPOSITORY: "acme/shop", GITHUB_SERVER_URL: `file://${folder}` };
  for (const args of [
    ["init", "--quiet", "--initial-branch", "main", folder],
    ["-C", folder, ...identity, "commit", "--quiet", "--allow-empty", "--message", "first"],
    ["clone", "--quiet", "--bare", folder, join(folder, "acme/shop")],
  ])
    await run("git", args);
  const env = { GITHUB_ENV: join(folder, "github.env"), ...pullRequest(), ...repository };
  // Whether a setup has run is in the database, which this service has none of.
  const setup = { setup: `echo "set up" >> '${log}'` };
  await expect(runAction({ ...inputs, ...setup }, env)).rejects.toMatchObject({ code: 9 });
  const [copy] = await copies();
  expect(copy?.logicalId).toMatch(/\.expires-\d/);
  const nightly = { ...repository, GITHUB_REF: "refs/heads/main" };
  await runAction({ ...inputs, command: "prune" }, nightly);
  expect(await copies()).toHaveLength(1);
  const client = createClient({ baseUrl: server.baseUrl, token });
  const logicalId = copy?.logicalId?.replace(/expires-\d+/, "expires-20200101") ?? null;
  await client.databases.update(copy?.id ?? "", { logicalId });
  await runAction({ ...inputs, command: "prune" }, nightly);
  expect(await copies()).toEqual([]);
});

it("runs the action with each of its commands, prune on a schedule (workflow.yml)", () => {
  const { on, jobs } = parse(readFileSync(join(example, "workflow.yml"), "utf8")) as {
    on: { schedule: object[] };
    jobs: Record<string, { if: string; concurrency?: string; steps: { with?: { command: string } }[] }>;
  };
  expect(on.schedule).toHaveLength(1);
  expect(jobs["prune"]).toMatchObject({ if: expect.stringContaining("schedule") });
  expect(jobs["prune"]?.steps.at(-1)?.with?.command).toBe("prune");
  const deletes = jobs["preview"]?.steps.map((step) => step.with?.command).join();
  expect(deletes).toContain("github.event.action == 'closed' && 'down'");
  expect(jobs["preview"]?.concurrency).toContain("github.head_ref");
  expect(jobs["prune"]?.concurrency).toBe("preview-database-prune");
});

it("runs the version of the command that this repository has (action.yml, gitlab.yml)", () => {
  const action = parse(readFileSync(join(example, "action.yml"), "utf8")) as Action;
  expect(action.inputs["version"]?.default).toBe(version);
  const { variables, ...jobs } = parse(readFileSync(join(example, "gitlab.yml"), "utf8")) as {
    variables: Record<string, string>;
  } & Record<string, { script: string[] }>;
  expect(variables["MGMT_VERSION"]).toBe(version);
  const lines = [
    ...action.runs.steps.map(({ run: text }) => text),
    ...Object.values(jobs).flatMap(({ script: texts }) => texts),
  ];
  const packages = lines.flatMap((text) => [...text.matchAll(/--package \S+/g)].map(([found]) => found));
  expect(packages).toHaveLength(4);
  for (const each of packages) expect(each).toMatch(/^--package "@mgmt\/cli@\$(?:MGMT_)?VERSION"$/);
});

it("sets the connection string for the job and stops the preview (gitlab.yml)", async () => {
  const { variables, ...jobs } = parse(readFileSync(join(example, "gitlab.yml"), "utf8")) as {
    variables: Record<string, string>;
  } & Record<string, { script: string[]; resource_group: string; environment?: { on_stop?: string } }>;
  const lines = (name: string): string =>
    (jobs[name]?.script ?? [])
      .map((line) => line.replaceAll(".env.preview", join(folder, "preview.env")).replace("./", ""))
      .map((line) => line.replace("npm ci && npm test", `test -n "$DATABASE_URL"`))
      .join("\n");
  const env = {
    ...variables,
    MGMT_BASE_URL: server.baseUrl,
    MGMT_TOKEN: token,
    MGMT_PROJECT_ID: projectId,
    GITLAB_CI: "true",
    CI_MERGE_REQUEST_IID: "7",
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature/cart",
    CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: "acme/shop",
    CI_PROJECT_PATH: "acme/shop",
  };
  expect(lines("preview-database")).toContain("DATABASE_URL");
  const log = await script(lines("preview-database"), env);
  const [copy] = await copies();
  expect(log).not.toContain(copy?.connections[0]?.directConnection?.pass ?? "postgres");
  for (let round = 0; round < 2; round += 1) await script(lines("stop-preview-database"), env);
  expect(await copies()).toEqual([]);
  expect(jobs["prune-preview-databases"]?.script.join()).toContain("preview prune --yes");
  expect(jobs["preview-database"]?.environment?.on_stop).toBe("stop-preview-database");
  const groups = ["preview-database", "stop-preview-database"].map((name) => jobs[name]?.resource_group);
  expect(groups).toEqual(Array(2).fill("preview/$CI_COMMIT_REF_SLUG"));
});
