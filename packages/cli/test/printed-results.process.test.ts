import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Printing } from "../src/commands/schema/generated/printed-schemas.js";
import { expectValid, schemaOf, withoutOtherFields } from "./command-schemas.js";
import { definedCommands } from "./program.js";
import type { Result } from "./result.js";
import { startRepository } from "./repository.js";
import { openWorkplace, type Workplace } from "./workplace.js";

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace();
});
afterEach(() => workplace.reset());
afterAll(() => workplace.close());

/** Commands that connect to a database, whose results commands/db and commands/query check. */
type Connecting = "db restore" | "db import" | "db copy" | "query";

/** Commands of a service over a Postgres server, whose results commands/serve checks. */
type Serving = Extract<Printing, `serve ${string}`>;

/** Commands about running services, whose results commands/dev checks. */
type Running = "dev" | "dev list" | "dev stop";

/** The commands whose results these tests check. */
type Checked = Exclude<Printing, "rehearse" | Running | Connecting | Serving>;

/** Lines that print the result of a command. A command without one does not compile. */
const lines: Readonly<Record<Checked, readonly Line[]>> = {
  login: ["login --with-token", "login --no-browser"],
  "auth login": ["auth login --with-token"],
  "auth list": ["auth list"],
  "auth status": ["auth status", "auth status --profile staging"],
  "auth token": ["auth token"],
  "config list": ["config list"],
  "config get": ["config get base-url"],
  "config set": ["config set pager off"],
  "config unset": ["config unset pager"],
  plan: ["plan -f changed.yaml --prune"],
  apply: ["apply -f changed.yaml --prune --yes"],
  "preview up": ["preview up", "preview up --file preview.env"],
  "preview list": ["preview list"],
  "preview reset": ["preview reset --yes"],
  "preview diff": ["preview diff"],
  "preview down": ["preview down --yes", "preview down --branch other"],
  "preview prune": ["preview prune --yes"],
  init: ["init --project-id shop", "init --create store --no-env"],
  link: ["link", "link --project-id shop"],
  "dev agent": ["dev agent builder --save-as builder"],
  "dev approvals list": ["dev approvals list"],
  "dev approvals approve": ["dev approvals approve apr_ --window 1h"],
  "dev approvals deny": ["dev approvals deny apr_"],
  env: ["env"],
  status: ["status", "status --project-id shop"],
  usage: ["usage", "usage --by project"],
  "db dump": ["db dump --file RANDOM.dump"],
  "db seed": ["db seed --allow-meta-commands --yes"],
  "mcp install": ["mcp install cursor --yes", "mcp install vscode --dry-run"],
  "skills install": ["skills install"],
  "connection-string": ["connection-string", "connection-string --pooled --format dsn"],
  open: ["open docs"],
  api: ["api projects", "api GET /v1/me --include"],
  doctor: ["doctor"],
  operations: ["operations"],
  schema: ["schema doctor", "schema projects list", "schema export"],
  version: ["version"],
  help: ["help plan", "help output"],
};
type Line = string;

/** Lines of hand-written commands whose result has its schema elsewhere. */
const others = { export: "export", whoami: "whoami" };

/** Runs a line in the workplace. `apr_` is the id of an approval. */
const run = async (line: string, format = "json", env: NodeJS.ProcessEnv = {}): Promise<Result> => {
  const words = line.split(" ").map((word) => workplace.ids[word] ?? word);
  const isToken = words.includes("--with-token");
  const stdin = isToken ? { stdin: await workplace.server.engine.tokens.service() } : {};
  return workplace.run([...words, "--output", format], { ...stdin, env });
};

const addExpiredPreview = async (): Promise<void> => {
  const { json } = await run("preview up --branch old");
  const { databaseId } = json as { databaseId: string };
  const database = await run(`databases get ${databaseId}`);
  const { logicalId } = database.json as { logicalId: string };
  await run(`databases update ${databaseId} --logical-id ${logicalId}.expires-20200101T0000Z`);
};

describe("what a hand-written command prints with --output json", () => {
  const cases = Object.entries({ ...lines, ...others }).flatMap(([words, each]) =>
    [each].flat().map((line) => [line, words] as const),
  );
  it.each(cases)("has the schema that mgmt schema prints: mgmt %s", async (line, words) => {
    if (words.startsWith("preview")) startRepository(workplace);
    if (words.startsWith("preview") && words !== "preview up") await run("preview up");
    if (words === "preview prune") await addExpiredPreview();
    const { result, streamLine } = await schemaOf(words);
    const { stdout, stderr, json } = await run(line);
    expect(stdout, stderr).not.toMatch(/^(\[\]\n)?$/);
    expectValid(words in lines ? withoutOtherFields(result) : result, json);
    if (words === "export") return;
    // Most of these lines can be repeated.
    const repeated = await run(line.replace("apr_ ", "apr_"), "ndjson");
    for (const each of repeated.stdout.split("\n").filter(Boolean)) expectValid(streamLine, JSON.parse(each));
  });

  it("has the schema of the approval that an agent waits for", async () => {
    const { MGMT_BASE_URL, MGMT_TOKEN } = {
      MGMT_BASE_URL: workplace.server.baseUrl,
      MGMT_TOKEN: workplace.agentToken,
    };
    await run("dev approvals approve apr_");
    const waited = await run("agent-approvals wait apr_", "json", { MGMT_BASE_URL, MGMT_TOKEN });
    expect(waited.status).toBe(0);
    const { operationId, result } = await schemaOf("agent-approvals wait");
    expect(operationId).toBe("agentApprovals.get");
    expectValid(result, waited.json);
  });

  it("is not declared for commands that print no JSON", async () => {
    const commands = (await definedCommands()).filter(
      ({ definition, commands: [inner] }) => !definition && !inner,
    );
    const silent: string[] = [];
    for (const { line } of commands) {
      const words = line.split(" ").slice(1).join(" ");
      if ((await schemaOf(words)).result === null) silent.push(words);
    }
    expect(silent).toEqual([
      ...["logout", "auth switch", "unlink", "serve schema", "serve migrate", "run", "psql"],
      "completion",
    ]);
  });
});
