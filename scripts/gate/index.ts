import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { responsesFile } from "../responses-file.js";
import { Gate } from "./gate.js";
import { type Stage, first, fullParts, last, stages } from "./stages.js";

const usage = `node --import tsx scripts/gate/index.ts
npm run test:full [-- PART ...]

Without arguments, runs what every change has to pass. With --full, runs the parts that take long, or those that are named:
${fullParts.map(({ name }) => `  ${name}`).join("\n")}

Exits with 1 if a stage fails, and with 2 on wrong usage.
`;

const fail = (message: string): never => {
  process.stderr.write(`${message}\n\n${usage}`);
  process.exit(2);
};

const readArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { full: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
    });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
};

const { values, positionals } = readArguments();
if (values.help) {
  process.stdout.write(usage);
  process.exit();
}
const unknown = positionals.filter((name) => !fullParts.some((part) => part.name === name));
if (unknown.length > 0) fail(`Unknown part: ${unknown.join(", ")}`);
if (positionals.length > 0 && !values.full) fail("Only --full takes parts");

rmSync(responsesFile, { force: true });
mkdirSync(dirname(responsesFile), { recursive: true });

const gate = new Gate();
if (await gate.run(first)) {
  if (values.full) {
    const isChosen = ({ name }: Stage): boolean => positionals.length === 0 || positionals.includes(name);
    await gate.runAll(fullParts.filter(isChosen), 1);
  } else {
    await gate.runAll(stages, 2);
    if (gate.failed.length === 0) await gate.run(last);
  }
}
gate.printEnd();
