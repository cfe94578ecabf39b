import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, inject, it } from "vitest";
import { link, run } from "./example.js";

const installed = inject("installed");

interface Runner {
  name: string;
  /** Its package, and the package among the tools if that has another name. */
  links: [name: string, tool?: string][];
  words: string[];
  file: string;
  /** How it prints the numbers of tests that passed and failed. */
  counts: RegExp[];
}

const vitest = { words: ["vitest", "run", "--root", ".", "--no-color"], file: "vitest.test.mjs" };
const vitestCounts = [/Tests +2 failed \| 3 passed \(5\)/];
const runners: Runner[] = [
  {
    name: "Jest, CommonJS",
    links: [["jest"], ["@jest/globals"]],
    words: ["jest", "--rootDir", ".", "--testMatch", "**/*.test.cjs"],
    file: "jest.test.cjs",
    counts: [/Tests: +2 failed, 3 passed, 5 total/],
  },
  { name: "Vitest 3", links: [["vitest", "vitest-3"]], ...vitest, counts: vitestCounts },
  { name: "Vitest 4", links: [["vitest"]], ...vitest, counts: vitestCounts },
  {
    name: "Playwright",
    links: [["@playwright/test"]],
    words: ["playwright", "test", "--reporter=list", "--workers=2"],
    file: "playwright.spec.mjs",
    counts: [/^ +2 failed$/m, /^ +3 passed/m],
  },
];

/** Creates a project with one test runner. It has a copy of the packages, because they import the runner. */
const createProject = async ({ name, links, file }: Runner): Promise<string> => {
  const folder = join(installed, "fixtures", name.replaceAll(/\W+/g, "-"));
  await mkdir(folder);
  for (const each of ["mock", "engine", "sdk"]) {
    const path = join("node_modules/@mgmt", each);
    await cp(join(installed, path), join(folder, path), { recursive: true });
  }
  for (const [alias, tool] of links) await link(folder, alias, tool);
  for (const each of ["calls.cjs", file]) {
    await cp(join(installed, "fixtures", each), join(folder, each));
  }
  return folder;
};

describe.concurrent("the packed fixtures of the mock", () => {
  it.for(runners)(
    "isolate tests, show the requests of a failed one, and name requests without an operation: $name",
    async (runner, { expect }) => {
      const cwd = await createProject(runner);
      const [command = "", ...words] = runner.words;
      const failed = run(join(cwd, "node_modules/.bin", command), words, { cwd, env: { NO_COLOR: "1" } });
      const output = await failed.then(
        () => "No test failed.",
        (error: unknown) => String(error),
      );
      for (const count of runner.counts) expect(output).toMatch(count);
      expect(output).toContain('Requests of the test "fails after a request":');
      expect(output).toContain("POST /v1/projects → 201");
      expect(output).toContain(
        'The test "misspells a path" sent requests that the mock has no operation for',
      );
      expect(output).toContain("GET /v1/projcts → 404 route:not_found");
    },
  );
});
