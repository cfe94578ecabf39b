import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { type Database, createClient } from "@mgmt/sdk";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ensureBuilt } from "../../../packages/cli/test/bin.js";
import { root } from "../../../scripts/generate/contract/contract.js";

const script = join(root, "examples/pull-request-database/with-database.sh");
const run = promisify(execFile);
let server: RunningServer;
let token: string;
let folder: string;
let projectId: string;
beforeAll(async () => {
  await ensureBuilt();
  server = await createServer({ engineOptions: { settings: { lifecycle: { provisioning: 10 } } } });
  token = await server.engine.tokens.service();
  folder = mkdtempSync(join(tmpdir(), "mgmt-with-database-"));
});
beforeEach(async () => {
  projectId = (await server.engine.seed.project({ name: "shop" })).id;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

/** A program that the script runs: reports the secrets that the service has at the time, to a file that is not the log. */
const reporter = `
const { MGMT_BASE_URL: url, MGMT_TOKEN: token, DATABASE_URL, REPORT } = process.env;
const headers = { authorization: "Bearer " + token };
const { data } = await (await fetch(url + "/v1/connections?limit=100", { headers })).json();
const passwords = data.flatMap(({ directConnection }) => directConnection?.pass ?? []);
(await import("node:fs")).writeFileSync(REPORT, JSON.stringify({ passwords, url: DATABASE_URL }), { mode: 0o600 });
console.log("tests passed");
`;

interface Report {
  passwords: string[];
  url: string;
}

/** A job of a CI system that has no masks. */
const gitLab = {
  CI: "true",
  GITLAB_CI: "true",
  CI_COMMIT_BRANCH: "feature/cart",
  CI_PROJECT_URL: "https://git.example.com/acme/shop",
};

/** The databases of the project, apart from its default database. */
const copies = async (): Promise<Database[]> => {
  const client = createClient({ baseUrl: server.baseUrl, token });
  const databases = await client.projects.databases.list(projectId).toArray();
  return databases.filter(({ isDefault }) => !isDefault);
};

/** Runs the script in a job, and returns everything that it prints and what its command saw. */
const job = async (variables: NodeJS.ProcessEnv, own = ""): Promise<{ log: string; report: Report }> => {
  const home = mkdtempSync(join(folder, "job-"));
  const report = join(home, "report.json");
  const program = join(home, "report.mjs");
  writeFileSync(program, reporter + own);
  mkdirSync(join(home, "tmp"));
  const env = {
    PATH: [join(root, "node_modules/.bin"), process.env["PATH"] ?? ""].join(":"),
    HOME: home,
    TMPDIR: join(home, "tmp"),
    MGMT_CONFIG_DIR: join(home, "config"),
    MGMT_BASE_URL: server.baseUrl,
    MGMT_TOKEN: token,
    MGMT_PROJECT_ID: projectId,
    REPORT: report,
    ...variables,
  };
  // The log of a job has both streams.
  const line = `exec "$0" "$@" 2>&1`;
  const { stdout: log } = await run("sh", ["-c", line, script, process.execPath, program], {
    cwd: home,
    env,
  });
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
  return { log, report: JSON.parse(readFileSync(report, "utf8")) as Report };
};

const jobs: [string, NodeJS.ProcessEnv][] = [
  ["GitHub Actions", { CI: "true", GITHUB_ACTIONS: "true", GITHUB_REF: "refs/heads/feature/cart" }],
  ["a system without masks", gitLab],
  ["a system that is not known", { CI: "true", BRANCH: "feature/cart" }],
  ["a terminal", { BRANCH: "feature/cart" }],
];

it.each(jobs)(
  "passes the connection string on in %s without a secret in its log",
  async (name, variables) => {
    const { log, report } = await job(variables);
    expect(log).toContain("tests passed");
    expect(report.url).toMatch(/^postgresql:\/\/.+@/);
    const secrets = [...report.passwords, report.url, token];
    expect(report.passwords).toContain(new URL(report.url).password);
    // The runner of GitHub Actions reads these lines and does not show them.
    const shown = log.replaceAll(/^::add-mask::.*\n/gm, "");
    for (const secret of secrets) expect(shown).not.toContain(secret);
    const masks = [...log.matchAll(/^::add-mask::(.+)$/gm)].map(([, text]) => text);
    expect(masks.includes(report.url)).toBe(name === "GitHub Actions");
  },
);

it("creates the database once, as a copy, and reports the status of the command", async () => {
  await job(gitLab);
  await expect(job(gitLab, "process.exit(7);")).rejects.toMatchObject({ code: 7 });
  expect(await copies()).toMatchObject([{ name: expect.stringMatching(/^feature\/cart/) }]);
  expect((await copies())[0]?.source).toMatchObject({ type: "database" });
});

it("does not run the command if the project does not exist", async () => {
  projectId = "proj_gone";
  await expect(job(gitLab)).rejects.toMatchObject({
    code: 6,
    stdout: expect.not.stringContaining("passed"),
  });
});

it("is a script of at most 25 lines that has no flag that prints secrets", () => {
  const text = readFileSync(script, "utf8");
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
  expect(text).not.toMatch(/--show-secrets|add-mask|set -x/);
});
