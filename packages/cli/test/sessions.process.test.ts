import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "./folders.js";
import { runInProcess } from "./in-process.js";
import { useSession } from "./terminal.js";

/**
 * The files in `sessions/` read like a terminal: `$ ` and a command line, then everything that it prints. A line that
 * starts with `= ` is the exit code, if it is not 0. `{name}` matches a value without spaces: any value the first time,
 * and the same one from then on. `…` matches any text within a line. What follows a line such as `-- mgmt.yaml --` is a
 * file in the folder of the session.
 */
const folder = fileURLToPath(new URL("sessions/", import.meta.url));

interface Step {
  line: string;
  output: string[];
  status: number;
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
    if (line.startsWith("$ mgmt ")) steps.push({ line: line.slice("$ mgmt ".length), output: [], status: 0 });
    else if (line.startsWith("= ")) Object.assign(step ?? {}, { status: Number(line.slice(2)) });
    else if (line !== "" && !line.startsWith("#")) step?.output.push(line);
  }
  return steps;
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

it.each(readdirSync(folder).filter((file) => file.endsWith(".txt")))(
  "prints the recorded session %s",
  async (file) => {
    const { tokens, defaults } = session.server.engine;
    const env = { ...session.env, MGMT_TOKEN: await tokens.user() };
    const values: Values = new Map([["workspace", defaults.workspace.id]]);
    const cwd = mkdtempSync(join(root, "session-"));
    for (const { line, output, status } of readSteps(writeFiles(readFileSync(folder + file, "utf8"), cwd))) {
      const words = fillIn(line, values).split(" ");
      const result = await runInProcess(words, { env, cwd });
      const printed = (result.stderr + result.stdout).split("\n").filter(Boolean);
      expect({ line, printed, status: result.status }).toEqual({ line, printed: expect.any(Array), status });
      for (const [index, expected] of output.entries()) {
        const match = patternOf(expected, values).exec(printed[index] ?? "");
        expect({ line, expected, printed: match ? expected : printed[index] }).toEqual({
          line,
          expected,
          printed: expected,
        });
        for (const [name, value] of Object.entries(match?.groups ?? {})) values.set(name, value);
      }
      expect({ line, printed: printed.length }).toEqual({ line, printed: output.length });
    }
  },
);
