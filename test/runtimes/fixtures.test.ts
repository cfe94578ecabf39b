import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, inject, it } from "vitest";
import { copyPackages, link, run } from "./example.js";
import { nodeProgram, older } from "./tools.js";

const installed = inject("installed");

interface Runner {
  name: string;
  /** The Node.js that runs it. Default: the one that runs these tests. */
  node?: string;
  /** Its packages, and their names among the tools if those are others. */
  links: [name: string, tool?: string][];
  words: string[];
  file: string;
  /** How it prints the numbers of tests that passed and failed. */
  counts: RegExp[];
}

const vitest = {
  words: ["vitest", "run", "--root", ".", "--no-color"],
  file: "vitest.test.mjs",
  counts: [/Tests +3 failed \| 4 passed \(7\)/],
};
const jest = {
  words: ["jest", "--rootDir", ".", "--testMatch", "**/*.test.cjs"],
  file: "jest.test.cjs",
  counts: [/Tests: +3 failed, 5 passed, 8 total/],
};
const playwright = {
  words: ["playwright", "test", "--reporter=list", "--workers=2"],
  file: "playwright.spec.mjs",
  counts: [/^ +3 failed$/m, /^ +1 flaky$/m, /^ +4 passed/m],
};
const runners: Runner[] = [
  {
    name: "Jest 29, CommonJS",
    links: [
      ["jest", older("jest")],
      ["@jest/globals", older("@jest/globals")],
    ],
    ...jest,
  },
  { name: "Jest 30, CommonJS", links: [["jest"], ["@jest/globals"]], ...jest },
  {
    name: "Vitest 3 with MSW 2.10",
    links: [
      ["vitest", "vitest-3"],
      ["msw", "msw-2.10"],
    ],
    ...vitest,
  },
  { name: "Vitest 4 with MSW 2", links: [["vitest"], ["msw"]], ...vitest },
  {
    name: "Vitest 5 with MSW 3",
    node: "22",
    links: [
      ["vitest", "vitest-5"],
      ["msw", "msw-3"],
    ],
    ...vitest,
  },
  { name: "Playwright 1.45", links: [["@playwright/test", "playwright-1.45"]], ...playwright },
  { name: "Playwright", links: [["@playwright/test"]], ...playwright },
];

/** Creates a project with one test runner. It has a copy of the packages, because they import the runner. */
const createProject = async ({ name, links }: Runner, file: string): Promise<string> => {
  const folder = join(installed, "fixtures", `${name} ${file}`.replaceAll(/[^\w.]+/g, "-"));
  await copyPackages(installed, folder);
  for (const [alias, tool] of links) await link(folder, alias, tool);
  for (const each of ["calls.cjs", file]) {
    await cp(join(installed, "fixtures", each), join(folder, each));
  }
  return folder;
};

/** Runs the tests of a file, some of which fail. */
const outputOf = async (runner: Runner, testFile: string): Promise<string> => {
  const cwd = await createProject(runner, testFile);
  const [command = "", ...words] = runner.words;
  const program = runner.node === undefined ? process.execPath : nodeProgram(runner.node);
  const file = join(cwd, "node_modules/.bin", command);
  return run(program, [file, ...words], { cwd, env: { NO_COLOR: "1" } }).then(
    () => "No test failed.",
    (error: unknown) => String(error),
  );
};

describe.concurrent("the packed fixtures of the mock", () => {
  it.for(runners)(
    "isolate tests, are created anew for another try, wait by the clock, show the requests of a failed test, and name requests without an operation and unused faults: $name",
    async (runner, { expect }) => {
      const output = await outputOf(runner, runner.file);
      for (const count of runner.counts) expect(output).toMatch(count);
      expect(output).toContain('Requests of the test "fails after a request":');
      expect(output).toContain("POST /v1/projects → 201");
      expect(output).toContain(
        'The test "misspells a path" sent requests that the mock has no operation for',
      );
      expect(output).toContain("GET /v1/projcts → 404 route:not_found");
      // Jest and Playwright indent the lines of a message.
      expect(output).toMatch(
        /No request was struck by:\n +\{"operation":"me\.get","status":503,"id":"fault-1"\}/,
      );
    },
  );

  it.for(runners.filter(({ words }) => words[0] === "vitest"))(
    "listen in a server of the developer, and refuse to listen beside one: $name",
    async (runner, { expect }) => {
      const output = await outputOf(runner, "servers.test.mjs");
      expect(output).toMatch(/Tests +2 failed \| 3 passed \(5\)/);
      expect(output).toContain("GET https://other.test/ → another host");
      expect(output).toContain("Another MSW server of this process receives its requests");
    },
  );
});

describe("the packed entry of the platform for Jest", () => {
  it.for(runners.filter(({ words }) => words[0] === "jest"))(
    "gives each test a database: $name",
    async (runner, { expect }) => {
      const output = await outputOf(runner, "database.test.cjs");
      expect(output).toMatch(/Tests: +1 failed, 1 skipped, 7 passed, 9 total/);
      expect(output).toMatch(/The database of "fails, and keeps its database" remains: PGPASSFILE=\S+ psql/);
    },
  );
});
