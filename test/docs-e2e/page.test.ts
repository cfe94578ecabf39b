import { expect, it } from "vitest";
import { pages } from "../docs/markdown.js";
import { followed, fullMatrix, narrow, quickstarts, unfollowed } from "./matrix.js";
import { type Page, type Step, readPage } from "./page.js";
import { onPort } from "./ports.js";
import { isPrinted } from "./printed.js";

const fence = "```";
const block = (language: string, text: string): string => `\n${fence}${language}\n${text}\n${fence}\n`;
const program = 'import { createClient } from "@mgmt/sdk";';
const install = block("sh install", "npm install @mgmt/sdk");

const read = (...markdown: string[]): Page => readPage("docs/quickstart/page.md", markdown.join("\n"));
const faultsOf = (...markdown: string[]): string[] => read(...markdown).faults.map(({ message }) => message);

it("reads commands, services, programs, and what they print, in the order of the page", () => {
  const { steps, faults, imports } = read(
    install,
    block("sh serve", "npx mgmt dev"),
    "Save this as `shop.mjs`:",
    block("ts run", program),
    "Run it with `node shop.mjs`:",
    block("text", "shop"),
  );
  expect(faults).toEqual([]);
  expect(imports.map(({ name }) => name)).toEqual(["@mgmt/sdk"]);
  expect(steps).toMatchObject([
    { do: "run", command: "npm install @mgmt/sdk" },
    { do: "serve", command: "npx mgmt dev" },
    { do: "save", file: "shop.mjs", text: `${program}\n` },
    { do: "run", command: "node shop.mjs" },
    { do: "expect", output: "shop\n" },
  ]);
});

it("reads a name and a command that follow a program in one sentence", () => {
  const { steps, faults } = read(
    block("ts run", program),
    "Save it as `shop.ts` in the\nfolder and run it with\n`npx tsx shop.ts`.",
  );
  expect(faults).toEqual([]);
  expect(steps).toMatchObject([
    { do: "save", file: "shop.ts" },
    { do: "run", command: "npx tsx shop.ts" },
  ]);
});

it("runs a program after its block if the sentence before the block says how to run it", () => {
  const { steps } = read("Save this as `a.mjs`, and run it with `node a.mjs`:", block("ts run", program));
  expect(steps.map(({ do: verb }) => verb)).toEqual(["save", "run"]);
});

it("saves and runs each program and each test as the introduction says", () => {
  const { steps } = read(
    "Save each program as `a.mjs`, and run each with `node a.mjs`. Save each test as `a.test.ts`, and run each with `npx vitest`.",
    block("ts run", program),
    block("ts test", program),
  );
  expect(steps).toMatchObject([
    { do: "save", file: "a.mjs" },
    { do: "run", command: "node a.mjs" },
    { do: "save", file: "a.test.ts" },
    { do: "run", command: "npx vitest" },
  ]);
});

it("does first what the page that it continues says", () => {
  const { steps } = read("This page continues [Quickstart: app](app.md), with its service.", install);
  expect(steps[0]).toMatchObject({
    do: "run",
    command: "npm install @mgmt/sdk",
    where: expect.stringMatching(/^docs\/quickstart\/app\.md:\d+$/),
  });
  expect(steps.map(({ do: verb }) => verb)).toContain("serve");
});

it("tells the pages that come before the first step of a page from those that it continues later", () => {
  const begin = "This page continues [app](app.md), and its tests continue [tests](tests.md).";
  const run = block("sh run", "npx mgmt whoami");
  const both = read(begin, run);
  expect(both.before).toEqual(["docs/quickstart/app.md", "docs/quickstart/tests.md"]);
  expect(both.own).toMatchObject([{ do: "run", command: "npx mgmt whoami" }]);
  const later = read("This page continues [app](app.md).", run, "It continues [tests](tests.md).");
  expect(later.before).toEqual(["docs/quickstart/app.md"]);
  expect(later.own[0]).toMatchObject({ do: "run", command: "npx mgmt whoami" });
  expect(later.own.length).toBeGreaterThan(1);
});

it("copies the folder of an example", () => {
  const { steps } = readPage("examples/worker/README.md", "Copy this folder, then run:\n");
  expect(steps).toMatchObject([{ do: "copy", folder: "examples/worker" }]);
});

it("refuses a page that does not name its program", () => {
  expect(faultsOf(block("ts run", program), "Have fun.", block("sh run", "node shop.mjs"))).toEqual([
    "The page gives this program no file name.",
  ]);
});

it("refuses a page that does not say how to run its program or its test", () => {
  const saved = ["Save this as `shop.test.ts`:", block("ts test", program)];
  expect(faultsOf(...saved, block("sh run", "npx mgmt whoami"))).toEqual([
    "The page does not say how to run shop.test.ts.",
  ]);
  expect(faultsOf(...saved, "Run it with `npx vitest run`.")).toEqual([]);
});

it("refuses a page that installs packages and runs nothing with them", () => {
  expect(faultsOf(install, block("ts", program))).toEqual([
    "The page does not say what to run with the packages that it installs.",
  ]);
});

it("reads what to run after a command that ends with an error of a package manager", () => {
  const sentence =
    "With pnpm, this ends with `ERR_PNPM_IGNORED_BUILDS`: then run `pnpm approve-builds --all`.";
  const run = { do: "run", command: "npm install a", remedy: "pnpm approve-builds --all" };
  expect(read(block("sh install", "npm install a"), sentence).steps).toMatchObject([run]);
  expect(faultsOf(sentence)).toEqual(["The page does not say which command ends so."]);
});

it("refuses a page that continues one that does not exist", () => {
  expect(faultsOf("This page continues [a page](gone.md).")).toEqual(["The page cannot continue gone.md."]);
});

it("compares whole lines with what is printed, and takes … for anything", () => {
  const printed = "\n Tests  2 passed (2)\n   Duration 2.1s\n";
  expect(isPrinted(printed, "Tests  2 passed (2)\nDuration …\n")).toBe(true);
  expect(isPrinted(printed, "Tests  2 passed")).toBe(false);
  expect(isPrinted(printed, "Tests  3 passed …")).toBe(false);
});

it("follows every quickstart, guide, framework page, and example without a fault that shows before running it", () => {
  expect(followed).toEqual(
    expect.arrayContaining(["README.md", "docs/quickstart/app.md", "examples/testing/README.md"]),
  );
  expect(followed.flatMap((page) => readPage(page).faults)).toEqual([]);
});

it("follows every quickstart, guide, framework page, and README of an example or package that needs nothing special", () => {
  const all = pages.filter((page) =>
    /^(?:docs\/(?:quickstart|frameworks|guides)|(?:examples|packages)\/[\w-]+)\//.test(page),
  );
  expect(all.filter((page) => !followed.includes(page))).toEqual(Object.keys(unfollowed));
});

it("follows every page on every version of Node.js, and the main pages with every package manager", () => {
  const runs = fullMatrix();
  for (const page of followed)
    expect(new Set(runs.filter((run) => run.page === page).map(({ node }) => node)).size).toBe(4);
  const all = runs.filter(({ page }) => page === "docs/quickstart/app.md").map(({ manager }) => manager);
  expect([...new Set(all)].sort()).toEqual(["bun", "npm-10", "npm-11", "pnpm", "yarn-classic", "yarn-pnp"]);
  expect(narrow(runs, { page: ["quickstart/tests"], node: ["22"], manager: [] })).toEqual([
    { page: "docs/quickstart/tests.md", node: "22", manager: "npm-10" },
  ]);
});

it("follows all quickstarts with what a lockfile has", () => {
  expect(quickstarts().map(({ page }) => page)).toEqual(
    pages.filter((page) => page.startsWith("docs/quickstart/")),
  );
});

it("replaces the port that pages name, and the one of a service that names none", () => {
  const where = "page.md:1";
  const steps: Step[] = [
    { where, do: "serve", command: "npx @mgmt/cli dev --port 4300" },
    { where, do: "serve", command: "mgmt dev" },
    { where, do: "run", command: "export MGMT_BASE_URL=http://127.0.0.1:4300" },
    { where, do: "expect", output: "It listens on http://127.0.0.1:4300\n" },
    { where, do: "clone" },
  ];
  expect(steps.map((step) => onPort(step, 50_123))).toEqual([
    { where, do: "serve", command: "npx @mgmt/cli dev --port 50123" },
    { where, do: "serve", command: "mgmt dev --port 50123" },
    { where, do: "run", command: "export MGMT_BASE_URL=http://127.0.0.1:50123" },
    { where, do: "expect", output: "It listens on http://127.0.0.1:50123\n" },
    { where, do: "clone" },
  ]);
});
