import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReferenceServer, StaticTlsServer } from "../programs/calls.js";
import { send } from "../programs/send.js";
import type { Bench, Finding } from "../runner/bench.js";
import { type Goal, goals } from "../runner/goals.js";
import { type CommandTimes, type MeasuredCommand, measureCommands } from "../runner/commands.js";
import { otherCommands } from "../runner/other-commands.js";
import { loopbackCertificates, mgmtProgram } from "../runner/paths.js";
import { startProgram } from "../runner/program.js";
import { measureLists } from "./cli-lists.js";
import { checkedList, createProjects, withoutConnectionHeaders } from "../runner/projects.js";

const count = 2;

/** Measures whole processes, which is what a user waits for. */
export const cli: Bench = {
  name: "cli",
  about: "mgmt commands, from process start to exit, in a clean environment",
  run: async (rounds = 21) => {
    const home = mkdtempSync(join(tmpdir(), "mgmt-bench-home-"));
    const server = await startProgram<ReferenceServer>("reference-server");
    const tlsServer = await startProgram<StaticTlsServer>("static-tls-server");
    try {
      const target = await server.calls.start();
      await createProjects(send, target, count);
      const response = withoutConnectionHeaders(await checkedList(send, target, count));
      const tlsTarget = await tlsServer.calls.start(response, {
        key: readFileSync(join(loopbackCertificates, "loopback.key"), "utf8"),
        cert: readFileSync(join(loopbackCertificates, "loopback.crt"), "utf8"),
      });
      const environment = { MGMT_BASE_URL: target.baseUrl, MGMT_TOKEN: target.token };
      const tlsEnvironment = {
        MGMT_BASE_URL: tlsTarget.baseUrl,
        MGMT_TOKEN: target.token,
        // The alternative, NODE_EXTRA_CA_CERTS, makes the start of every process much slower.
        NODE_TLS_REJECT_UNAUTHORIZED: "0",
        NODE_NO_WARNINGS: "1",
      };
      const times = await measureCommands(
        [
          nothing,
          bareGet("http", environment),
          bareGet("https", tlsEnvironment),
          mgmt("mgmt --version", ["--version"], isVersion),
          mgmt("mgmt --help", ["--help"], isHelp),
          mgmt("mgmt projects list", list, isList, environment),
          mgmt("mgmt projects list, TLS", list, isList, tlsEnvironment),
        ],
        { warmUp: 2, rounds, home },
      );
      const [node, get, tlsGet, version, help, projects, tlsProjects] = times;
      const [completion] = await measureCommands([completionWhileStopped], { warmUp: 2, rounds, home });
      assert.ok(node && get && tlsGet && version && help && projects && tlsProjects && completion);
      return [
        ...findings("--version", version, node, goals.cli.version),
        ...findings("--help", help, node, goals.cli.help),
        ...findings("one list call to localhost", projects, get, goals.cli.list),
        ...findings("one list call over TLS", tlsProjects, tlsGet, goals.cli.tlsList),
        {
          title: "completion while the service is stopped, wall time",
          subject: completion.wall,
          goal: goals.cli.completion,
        },
        ...(await measureLists(home)),
        ...(await compareWithOthers(Math.ceil(rounds / 4), home)),
      ];
    } finally {
      await Promise.all([server.stop(), tlsServer.stop()]);
      rmSync(home, { recursive: true, force: true });
    }
  },
};

const isVersion = (output: string): void => assert.match(output, /^\D*\d+\.\d+\.\d+\s*$/);
const isHelp = (output: string): void => assert.match(output, /^usage: mgmt/im);
const isList = (output: string): void => {
  const projects: unknown[] = JSON.parse(output);
  assert.equal(projects.length, count);
};

const list = ["projects", "list", "--output", "json"];

const mgmt = (
  name: string,
  parameters: readonly string[],
  check: (output: string) => void,
  environment: Readonly<Record<string, string>> = {},
): MeasuredCommand => ({
  name,
  program: process.execPath,
  parameters: [mgmtProgram, ...parameters],
  environment,
  check,
});

/** What a shell runs on Tab where ids of databases are expected. Nothing listens on port 1. */
const completionWhileStopped = mgmt(
  "mgmt complete -- databases get",
  ["complete", "--", "databases", "get", ""],
  (output) => assert.equal(output, ""),
  { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "token" },
);

const nothing: MeasuredCommand = {
  name: "node -e 0",
  program: process.execPath,
  parameters: ["-e", "0"],
  check: (output) => assert.equal(output, ""),
};

/** The least that a list call takes: one request, and its `data` printed as JSON. */
const bareGet = (
  module: "http" | "https",
  environment: Readonly<Record<string, string>>,
): MeasuredCommand => ({
  name: `bare node:${module} GET`,
  program: process.execPath,
  parameters: [
    "-e",
    `require("node:${module}").get(process.env.MGMT_BASE_URL + "/v1/projects", {
      agent: false,
      headers: { authorization: "Bearer " + process.env.MGMT_TOKEN },
    }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => (text += part));
      response.on("end", () => process.stdout.write(JSON.stringify(JSON.parse(text).data, null, 2)));
    });`,
  ],
  environment,
  check: isList,
});

const findings = (
  title: string,
  subject: CommandTimes,
  baseline: CommandTimes,
  goal: Goal | undefined,
  others: readonly CommandTimes[] = [],
): Finding[] =>
  (["wall", "processor"] as const)
    .filter((kind) => subject[kind].rounds.length > 0)
    .map((kind) => ({
      title: `${title}, ${kind} time`,
      subject: subject[kind],
      baseline: baseline[kind],
      others: others.map((each) => each[kind]),
      ...(goal && { goal }),
    }));

/** Measures the same flags of other command lines, in fewer rounds, because some of them take a second. */
const compareWithOthers = async (rounds: number, home: string): Promise<Finding[]> => {
  const commands = otherCommands(home);
  const found: Finding[] = [];
  for (const [flag, check] of [
    ["--version", isVersion],
    ["--help", isHelp],
  ] as const) {
    if (commands.length === 0) continue;
    const [node, own, ...others] = await measureCommands(
      [
        nothing,
        mgmt(`mgmt ${flag}`, [flag], check),
        ...commands.map(({ name, program, parameters }) => ({
          name: `${name} ${flag}`,
          program,
          parameters: [...parameters, flag],
          check: (output: string) => assert.notEqual(output, ""),
        })),
      ],
      { warmUp: 1, rounds, home },
    );
    assert.ok(node && own);
    found.push(...findings(`${flag} beside other command lines`, own, node, undefined, others));
  }
  return found;
};
