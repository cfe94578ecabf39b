import { Gate } from "../../../scripts/gate/gate.js";

/** Runs a stage of the test files that are named, and a stage of a shell command. */
const [flakyRecord = "", shell = "", ...files] = process.argv.slice(2);
const gate = new Gate(flakyRecord);
const run = { vitest: "test/architecture/gate/fixture/vitest.config.ts", words: files };
await gate.runAll(
  [
    { name: "tests", minutes: 1, run },
    { name: "shell", minutes: 0.1, run: ["bash", "-c", shell] },
  ],
  2,
);
gate.printEnd();
