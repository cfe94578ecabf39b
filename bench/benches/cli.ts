import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { ReferenceServer } from "../programs/calls.js";
import { send } from "../programs/send.js";
import type { Bench } from "../runner/bench.js";
import { mgmtProgram } from "../runner/paths.js";
import { startProgram } from "../runner/program.js";
import { createProjects } from "../runner/projects.js";
import { measureAlternately } from "../runner/rounds.js";

const count = 2;

/** Measures the wall time of whole processes, which is what a user waits for. */
export const cli: Bench = {
  name: "cli",
  about: "mgmt commands, from process start to exit, compared with `node -e 0`",
  run: async (rounds = 21) => {
    const server = await startProgram<ReferenceServer>("reference-server");
    try {
      const target = await server.calls.start();
      await createProjects(send, target, count);
      const environment = { MGMT_BASE_URL: target.baseUrl, MGMT_TOKEN: target.token };
      const isHelp = (output: string): void => assert.match(output, /^usage: mgmt/im);
      const isVersion = (output: string): void => assert.match(output, /^\D*\d+\.\d+\.\d+\s*$/);
      const isList = (output: string): void => {
        const projects: unknown[] = JSON.parse(output);
        assert.equal(projects.length, count);
      };
      const [version, help, list, baseline] = await measureAlternately(
        [
          {
            name: "mgmt --version",
            unit: "ms",
            measure: () => wallTime([mgmtProgram, "--version"], isVersion),
          },
          { name: "mgmt --help", unit: "ms", measure: () => wallTime([mgmtProgram, "--help"], isHelp) },
          {
            name: "mgmt projects list",
            unit: "ms",
            measure: () =>
              wallTime([mgmtProgram, "projects", "list", "--output", "json"], isList, environment),
          },
          { name: "node -e 0", unit: "ms", measure: () => wallTime(["-e", "0"], assertEmpty) },
        ],
        { warmUp: 2, rounds },
      );
      assert.ok(version && help && list && baseline);
      return [
        { title: "--version", subject: version, baseline, goal: atMost(1.2) },
        { title: "--help", subject: help, baseline, goal: atMost(1.35) },
        { title: "one list call to localhost", subject: list, baseline, goal: atMost(1.5) },
      ];
    } finally {
      await server.stop();
    }
  },
};

const atMost = (limit: number) => ({ of: "ratio", relation: "≤", limit }) as const;

const assertEmpty = (output: string): void => assert.equal(output, "");

/** Returns the milliseconds that one `node` process takes. Its output is checked after the time is taken. */
const wallTime = async (
  parameters: readonly string[],
  check: (output: string) => void,
  environment: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const started = performance.now();
  const child = spawn(process.execPath, parameters, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const elapsed = performance.now() - started;
  assert.equal(status, 0, `${parameters.join(" ")}: ${output}`);
  check(output);
  return elapsed;
};
