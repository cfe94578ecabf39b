import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "./bin.js";
import { startCollector } from "./collector.js";
import { temporaryFolder } from "./folders.js";
import { runInProcess } from "./in-process.js";
import { run, useSession } from "./terminal.js";

/**
 * The files in `sessions/` read like a terminal: `$ ` and a command line, then everything that it prints. A command line that
 * follows `% ` is typed on a terminal; with `$ `, there is none. A line that starts with `= ` is the exit code, if it is not 0.
 * `{name}` matches a value without spaces: any value the first time, and the same one from then on. `…` matches any text within
 * a line. Lines that start with `@ ` are the request log of the service: method, path, and the id of the trace, or `-` for none.
 * What follows a line such as `-- mgmt.yaml --` is a file in the folder of the session.
 */
const folder = fileURLToPath(new URL("sessions/", import.meta.url));

interface Step {
  /** Variables of the environment, and words after `mgmt`. */
  line: string;
  isOnTerminal: boolean;
  output: string[];
  status: number;
  requests: string[];
}

/** Writes the files of a session into a folder. Returns the rest of its text. */
const writeFiles = (text: string, target: string): string => {
  const [session = "", ...files] = text.split(/^-- (.+) --\n/m);
  for (let index = 0; index < files.length; index += 2) {
    writeFileSync(join(target, files[index] ?? ""), files[index + 1] ?? "");
  }
  return session;
};

const readSteps = (text: string): Step[] => {
  const steps: Step[] = [];
  for (const line of text.split("\n")) {
    const step = steps.at(-1);
    const [, prompt, command] = /^([$%]) ((?:\w+=\S* )*mgmt .+)/.exec(line) ?? [];
    if (command !== undefined)
      steps.push({ line: command, isOnTerminal: prompt === "%", output: [], status: 0, requests: [] });
    else if (line.startsWith("= ")) Object.assign(step ?? {}, { status: Number(line.slice(2)) });
    else if (line.startsWith("@ ")) step?.requests.push(line.slice(2));
    else if (line !== "" && !line.startsWith("#")) step?.output.push(line);
  }
  return steps;
};

/** Splits a line as a shell does, with quotes around whole words. */
const splitLine = (line: string): { variables: NodeJS.ProcessEnv; words: string[] } => {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const start = words.indexOf("mgmt");
  return {
    variables: Object.fromEntries(words.slice(0, start).map((word) => word.split(/=(.*)/s, 2))),
    words: words.slice(start + 1),
  };
};

type Values = Map<string, string>;

const fillIn = (text: string, values: Values): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values.get(name) ?? whole);

const patternOf = (expected: string, values: Values): RegExp => {
  const escaped = fillIn(expected, values).replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
  const open = escaped
    .replaceAll("…", ".*")
    .replaceAll(/\{(\w+)\}/g, "(?<$1>\\S+)")
    .replaceAll(/ {2,}/g, " +");
  return new RegExp(`^${open}$`);
};

const root = temporaryFolder();
const session = useSession();
beforeAll(ensureBuilt);

/** Expects lines to match, and adds what the names in them stand for. */
const expectLines = (line: string, lines: readonly string[], expected: readonly string[], values: Values) => {
  for (const [index, pattern] of expected.entries()) {
    const match = patternOf(pattern, values).exec(lines[index] ?? "");
    expect({ line, expected: pattern, printed: match ? pattern : lines[index] }).toEqual({
      line,
      expected: pattern,
      printed: pattern,
    });
    for (const [name, value] of Object.entries(match?.groups ?? {})) values.set(name, value);
  }
  expect({ line, printed: lines.length }).toEqual({ line, printed: expected.length });
};

it.each(readdirSync(folder).filter((file) => file.endsWith(".txt")))(
  "prints the recorded session %s",
  async (file) => {
    const { engine } = session.server;
    const { tokens, defaults } = engine;
    const collector = await startCollector();
    onTestFinished(() => collector.close());
    const values: Values = new Map([
      ["workspace", defaults.workspace.id],
      ["collector", collector.url],
    ]);
    const sessionEnv = { ...session.env, MGMT_TOKEN: await tokens.user() };
    const cwd = mkdtempSync(join(root, "session-"));
    const steps = readSteps(writeFiles(readFileSync(folder + file, "utf8"), cwd));
    for (const { line, isOnTerminal, output, status, requests } of steps) {
      const { variables, words } = splitLine(fillIn(line, values));
      const env = { ...sessionEnv, ...variables };
      const earlierIds = new Set(engine.requests.map(({ requestId }) => requestId));
      // Another process sends a trace.
      const isTraced = Object.keys(variables).some((name) => name.startsWith("OTEL_"));
      const result = await (isTraced
        ? run(words, { env, cwd })
        : runInProcess(words, { env, cwd, ...(isOnTerminal && { terminal: true, columns: 300 }) }));
      const printed = (result.stderr + result.stdout).split("\n").filter(Boolean);
      expect({ line, printed, status: result.status }).toEqual({ line, printed: expect.any(Array), status });
      expectLines(line, printed, output, values);
      if (requests.length === 0) continue;
      const logged = engine.requests.filter(({ requestId }) => !earlierIds.has(requestId));
      expectLines(
        line,
        logged.map(({ method, path, traceId }) => `${method} ${path} ${traceId ?? "-"}`),
        requests,
        values,
      );
    }
  },
);
