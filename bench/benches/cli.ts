import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Target } from "../programs/answer.js";
import type { Lists } from "../programs/list-server.js";
import { type Command, timesOf } from "../runner/command.js";
import { type Goal, atMost, ratio } from "../runner/goals.js";
import { installIn } from "../runner/install-in.js";
import {
  type Build,
  type Contender,
  type Measurement,
  type Row,
  type Unit,
  row,
} from "../runner/measurement.js";
import { programFolder, root } from "../runner/paths.js";
import { type Program, withProgram } from "../runner/program.js";

/** `HOME` of the commands. */
const home = join(programFolder, "home");

/** A script of Node.js, or with `-e` a program. */
const script = (
  parameters: readonly string[],
  check: (output: string) => void,
  environment: Readonly<Record<string, string>> = {},
): Command => ({ program: process.execPath, parameters, check, environment: { HOME: home, ...environment } });

const contender = (name: string, command: (build: Build) => Command): Contender => ({
  name,
  measure: (build) => timesOf(command(build)),
});

const wallAndProcessor = (title: string, goal?: Goal): Row[] =>
  ["wall", "processor"].map((kind) => row(`${title}, ${kind} time`, "ms", goal));

const nothing = contender("node -e 0", () => script(["-e", "0"], (output) => assert.equal(output, "")));

const ofFlag = (flag: string, check: (output: string) => void): Contender =>
  contender(`mgmt ${flag}`, ({ mgmt }) => script([mgmt, flag], check));
const version = ofFlag("--version", (output) => assert.match(output, /^\D*\d+\.\d+\.\d+\s*$/));
const help = ofFlag("--help", (output) => assert.match(output, /^usage: mgmt/im));

const withLists = <Result>(
  build: Build,
  lists: Lists,
  use: (environment: Record<string, string>) => Promise<Result>,
): Promise<Result> =>
  withProgram(build, "list-server", lists, ({ result: { baseUrl, token } }: Program<Target>) => {
    // The alternative to accepting any certificate, NODE_EXTRA_CA_CERTS, makes the start of every process much slower.
    const trust = lists.tls && { NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" };
    return use({ MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token, ...trust });
  });

/** A list call of the command, beside the least that it takes: one request, and its `data` printed as JSON. */
const oneCall = (title: string, name: string, module: "http" | "https", limit: number): Measurement => {
  const certificates = join(root, "packages/sdk/test/certificates");
  const tls = { key: join(certificates, "loopback.key"), cert: join(certificates, "loopback.crt") };
  const calling = (as: string, parametersOf: (build: Build) => readonly string[]): Contender => ({
    name: as,
    measure: (build) =>
      withLists(build, { pages: 1, itemsPerPage: 2, ...(module === "https" && { tls }) }, (environment) =>
        timesOf(
          script(
            parametersOf(build),
            (output) => {
              const projects: unknown[] = JSON.parse(output);
              assert.equal(projects.length, 2);
            },
            environment,
          ),
        ),
      ),
  });
  const program = `require("node:${module}").get(process.env.MGMT_BASE_URL + "/v1/projects", {
      agent: false,
      headers: { authorization: "Bearer " + process.env.MGMT_TOKEN },
    }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => (text += part));
      response.on("end", () => process.stdout.write(JSON.stringify(JSON.parse(text).data, null, 2)));
    });`;
  return {
    rows: wallAndProcessor(title, ratio(limit)),
    rounds: 21,
    comparesCommits: true,
    subject: calling(name, ({ mgmt }) => [mgmt, "projects", "list", "--output", "json"]),
    baseline: calling(`bare node:${module} GET`, () => ["-e", program]),
  };
};

/** About the size of a page, which the command asks for with --all. */
const itemsPerPage = 1_000;

/** Prints the peak of the resident memory as the last line. */
const reportingMemory =
  "data:text/javascript,process.on('exit',()=>console.log(process.resourceUsage().maxRSS*1024))";

/** Whole lists, which fill neither the memory nor the patience of a user. */
const allOf = (
  count: number,
  output: "table" | "csv" | "ndjson",
  [title, unit, limit]: readonly [title: string, unit: Unit, limit: number],
): Measurement => ({
  rows: [row(title, unit, atMost(limit))],
  rounds: 3,
  subject: {
    name: `mgmt projects list --all --output ${output}`,
    measure: (build) => {
      const pages = Math.floor(count / itemsPerPage);
      return withLists(build, { pages, itemsPerPage: count / pages }, async (environment) => {
        const command = [build.mgmt, "projects", "list", "--all", "--output", output];
        const start = unit === "B" ? ["--import", reportingMemory] : [];
        let lines: string[] = [];
        const check = (text: string): void => {
          lines = text.trimEnd().split("\n");
          assert.ok(lines.length >= count, `${String(lines.length)} lines for ${String(count)} rows`);
        };
        const [wall] = await timesOf(script([...start, ...command], check, environment));
        return [unit === "B" ? Number(lines.at(-1)) : wall / 1_000];
      });
    },
  },
});

/** What a shell runs on Tab where ids of databases are expected. Nothing listens on port 1. */
const completionWhileStopped = contender("mgmt complete -- databases get", ({ mgmt }) =>
  script([mgmt, "complete", "--", "databases", "get", ""], (output) => assert.equal(output, ""), {
    MGMT_BASE_URL: "http://127.0.0.1:1",
    MGMT_TOKEN: "token",
  }),
);

const others = ["neon", "stripe"] as const;
let installed: string | undefined;
/** Installs the other command lines when the first is measured. */
const binaries = (): string => {
  if (installed === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "mgmt-bench-"));
    process.once("exit", () => {
      rmSync(folder, { recursive: true, force: true });
    });
    installed = installIn(folder, ["neon", "@stripe/cli"]).folder;
  }
  return join(installed, "node_modules/.bin");
};

const besideOthers = (flag: string, subject: Contender): Measurement => ({
  rows: wallAndProcessor(`${flag} beside other command lines`),
  rounds: 6,
  subject,
  baseline: nothing,
  others: others.map((name) => ({
    name: `${name} ${flag}`,
    measure: () => timesOf(script([join(binaries(), name), flag], (output) => assert.notEqual(output, ""))),
  })),
});

const startOf = (title: string, goal: Goal, subject: Contender): Measurement => ({
  rows: wallAndProcessor(title, goal),
  rounds: 21,
  comparesCommits: true,
  subject,
  baseline: nothing,
});

/** Whole processes, which is what a user waits for. */
export const cli: readonly Measurement[] = [
  startOf("--version", ratio(1.1), version),
  startOf("--help", ratio(1.25), help),
  oneCall("one list call to localhost", "mgmt projects list", "http", 1.45),
  oneCall("one list call over TLS", "mgmt projects list, TLS", "https", 1.3),
  {
    rows: [row("completion while the service is stopped, wall time", "ms", atMost(300))],
    rounds: 21,
    subject: completionWhileStopped,
  },
  allOf(10_010, "table", ["table of 10,010 rows, wall time", "s", 1.2]),
  allOf(200_000, "csv", ["200,000 rows for a program, wall time", "s", 2]),
  allOf(200_000, "ndjson", ["200,000 rows for a program, wall time", "s", 2]),
  allOf(200_000, "ndjson", ["NDJSON of 200,000 projects, peak memory", "B", 110_000_000]),
  besideOthers("--version", version),
  besideOthers("--help", help),
];
