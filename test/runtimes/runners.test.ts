import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, inject, it } from "vitest";
import { tools } from "./installed.js";

const cwd = join(inject("installed"), "runners");
/** The Vitest of this repository is version 4; version 3 is among the tools. */
const ownModules = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const vitestWords = ["run", "--globals", "--root", ".", "--no-color"];

interface Runner {
  name: string;
  words: string[];
  /** The number of tests that passed, as the runner prints it. */
  passed: RegExp;
}

const jest = join(tools, "jest/bin/jest.js");
const jestPassed = /Tests: +2 passed, 2 total/;
const vitestPassed = /Tests +2 passed \(2\)/;
const runners: Runner[] = [
  {
    name: "Jest, CommonJS",
    words: [jest, "--rootDir", ".", "--testMatch", "**/commonjs.test.cjs"],
    passed: jestPassed,
  },
  {
    name: "Jest, ES modules",
    words: ["--experimental-vm-modules", jest, "--rootDir", ".", "--testMatch", "**/modules.test.mjs"],
    passed: jestPassed,
  },
  {
    name: "Vitest 3",
    words: [join(tools, "vitest-3/vitest.mjs"), ...vitestWords, "modules"],
    passed: vitestPassed,
  },
  {
    name: "Vitest 4",
    words: [join(ownModules, "vitest/vitest.mjs"), ...vitestWords, "modules"],
    passed: vitestPassed,
  },
  {
    name: "node:test, CommonJS",
    words: ["--test", "--test-reporter=tap", "commonjs.test.cjs"],
    passed: /^# pass 2$/m,
  },
  {
    name: "node:test, ES modules",
    words: ["--test", "--test-reporter=tap", "modules.test.mjs"],
    passed: /^# pass 2$/m,
  },
];

/** Variables of the Vitest that runs this file would change the runner under test. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|VITE_|NODE_ENV|NODE_OPTIONS|NODE_TEST|TEST$)/.test(name),
  ),
);

describe.concurrent.each([20, 24])("the packed SDK and mock on Node %i", (version) => {
  const program = join(tools, `node-${String(version)}/bin/node`);
  const env = { ...environment, PATH: `${dirname(program)}:${process.env["PATH"] ?? ""}` };

  describe.each(runners)("in $name", ({ words, passed }) => {
    it("call, fail, log in and use a proxy", async ({ expect }) => {
      const output = await promisify(execFile)(program, words, { cwd, env }).then(
        ({ stdout, stderr }) => `${stdout}${stderr}`,
        (error: { stdout?: string; stderr?: string }) =>
          `${error.stdout ?? String(error)}${error.stderr ?? ""}`,
      );
      expect(output).toMatch(passed);
    });
  });
});
