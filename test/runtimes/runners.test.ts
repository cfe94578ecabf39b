import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, inject, it } from "vitest";
import { copyPackages, link } from "./example.js";
import { nodeProgram, older, tools } from "./tools.js";

const installed = inject("installed");
/** The Vitest of this repository is version 4; the others are among the tools. */
const ownModules = fileURLToPath(new URL("../../node_modules/", import.meta.url));

interface Runner {
  name: string;
  words: string[];
  /** The number of tests that passed, as the runner prints it. */
  passed: RegExp;
  /** MSW among the tools. Default: the one of this repository. */
  msw?: string;
  /** The oldest Node.js that the runner and MSW support. Default: the oldest that the packages support. */
  since?: number;
}

const jestWords = ["--rootDir", ".", "--testTimeout=120000", "--testMatch"];
const commonJs = [...jestWords, "**/commonjs.test.cjs"];
const modules = [...jestWords, "**/modules.test.mjs"];
const jest = join(tools, "jest/bin/jest.js");
const jest29 = join(tools, older("jest"), "bin/jest.js");
const jestPassed = /Tests: +2 passed, 2 total/;
const vitest = (folder: string): Pick<Runner, "words" | "passed"> => ({
  words: [
    join(folder, "vitest.mjs"),
    ...["run", "--globals", "--root", ".", "--no-color", "--testTimeout=120000", "modules"],
  ],
  passed: /Tests +2 passed \(2\)/,
});
const runners: Runner[] = [
  { name: "Jest 29, CommonJS", words: [jest29, ...commonJs], passed: jestPassed },
  { name: "Jest 30, CommonJS", words: [jest, ...commonJs], passed: jestPassed },
  {
    name: "Jest 30, ES modules",
    words: ["--experimental-vm-modules", jest, ...modules],
    passed: jestPassed,
  },
  {
    name: "Jest 30, ES modules, with MSW 3",
    words: ["--experimental-vm-modules", jest, ...modules],
    passed: jestPassed,
    msw: "msw-3",
    since: 22,
  },
  { name: "Vitest 3 with MSW 2.10", ...vitest(join(tools, "vitest-3")), msw: "msw-2.10" },
  { name: "Vitest 4", ...vitest(join(ownModules, "vitest")) },
  { name: "Vitest 5 with MSW 3", ...vitest(join(tools, "vitest-5")), msw: "msw-3", since: 22 },
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

const folderWith = (msw = ""): string => join(installed, msw === "" ? "runners" : `runners-${msw}`);

beforeAll(async () => {
  for (const msw of ["msw-2.10", "msw-3"]) {
    await cp(folderWith(), folderWith(msw), { recursive: true });
    await copyPackages(installed, folderWith(msw));
    await link(folderWith(msw), "msw", msw);
  }
});

/** Variables of the Vitest that runs this file would change the runner under test. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|VITE_|NODE_ENV|NODE_OPTIONS|NODE_TEST|TEST$)/.test(name),
  ),
);

describe.concurrent.each([20, 22, 24, 26])("the packed SDK and mock on Node %i", (version) => {
  const program = nodeProgram(String(version));
  const env = { ...environment, PATH: `${dirname(program)}:${process.env["PATH"] ?? ""}` };
  const supported = runners.filter(({ since = 20 }) => version >= since);

  it.for(supported)(
    "call, fail, log in and use a proxy in $name",
    async ({ words, passed, msw }, { expect }) => {
      const output = await promisify(execFile)(program, words, { cwd: folderWith(msw), env }).then(
        ({ stdout, stderr }) => `${stdout}${stderr}`,
        (error: { stdout?: string; stderr?: string }) =>
          `${error.stdout ?? String(error)}${error.stderr ?? ""}`,
      );
      expect(output).toMatch(passed);
    },
  );
});
