import { Gate } from "../../scripts/gate/gate.js";

/** Runs a stage of the test files that are named, if any are, and a stage of a shell command. */
const [flakyRecord = "", shell = "", ...files] = process.argv.slice(2);
const gate = new Gate(flakyRecord);
const tests = {
  name: "tests",
  minutes: 1,
  run: { vitest: "test/gate/fixture/vitest.config.ts", words: files },
};
const stages = files.length > 0 ? [tests] : [];
await gate.runAll([...stages, { name: "shell", minutes: 0.1, run: ["bash", "-c", shell] }], 2);
gate.printEnd();
