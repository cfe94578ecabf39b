import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { Target } from "../programs/answer.js";
import type { Calls } from "../programs/caller.js";
import type { Lists } from "../programs/list-server.js";
import type { Walk } from "../programs/walker.js";
import { bundleForBrowser } from "../runner/browser-bundle.js";
import { atMost, ratio } from "../runner/goals.js";
import { type Imported, emptyModule, importOnce } from "../runner/import.js";
import { type Build, type Contender, type Measurement, row, workingTree } from "../runner/measurement.js";
import { benchFolder, programFolder, root } from "../runner/paths.js";
import { type Program, runProgram, withProgram } from "../runner/program.js";
import { median } from "../runner/report.js";
import { typePrograms } from "./type-programs.js";

const run = promisify(execFile);

const oneList = { pages: 1, itemsPerPage: 2 } satisfies Lists;

const call = (build: Build, contender: string, calls: number): Promise<number> =>
  withProgram(build, "list-server", oneList, async ({ result: target }: Program<Target>) => {
    assert.equal((await fetch(target.baseUrl)).status, 401);
    return runProgram(build, "caller", { target, contender, calls } satisfies Calls);
  });

const withFolder = async <Result>(use: (folder: string) => Promise<Result>): Promise<Result> => {
  const folder = await mkdtemp(join(programFolder, "scratch-"));
  return use(folder).finally(() => rm(folder, { recursive: true, force: true }));
};

/** The gzipped JavaScript that a browser loads for one client and one list call. The bundle must list something. */
const bundle = (name: string, file: string, when: "atStart" | "onDemand" = "atStart"): Contender => ({
  name,
  measure: () =>
    withFolder(async (folder) => {
      const contender = join(folder, `${file}.js`);
      const entryPoints = [join(benchFolder, "contenders", basename(contender))];
      const { first, later, ...bytes } = await bundleForBrowser({
        entryPoints,
        outdir: folder,
        absWorkingDir: folder,
      });
      for (const { path, contents } of [...first, ...later]) await writeFile(path, contents);
      await call(workingTree, contender, 1);
      return [bytes[when]];
    }),
});
const onDemand = "  its chunks on demand";

const bundles: readonly Measurement[] = [
  {
    rows: [row("bundle, gzip, what is loaded at start: all resources", "B", atMost(8_192))],
    rounds: 1,
    subject: bundle("@mgmt/sdk", "mgmt"),
    others: [
      bundle(onDemand, "mgmt", "onDemand"),
      bundle("@prisma/management-api-sdk", "prisma"),
      bundle("stripe", "stripe"),
      bundle("openai", "openai"),
      bundle("@octokit/rest", "octokit"),
    ],
  },
  {
    rows: [
      row(
        "bundle, gzip, what is loaded at start: one resource through the tree-shakable client",
        "B",
        atMost(5_632),
      ),
    ],
    rounds: 1,
    subject: bundle("@mgmt/sdk/partial, one resource", "mgmt-partial"),
    others: [
      bundle(onDemand, "mgmt-partial", "onDemand"),
      bundle("@mgmt/sdk, one resource", "mgmt-one-resource"),
      bundle(onDemand, "mgmt-one-resource", "onDemand"),
    ],
  },
];

/** Milliseconds of processor time over those of an empty module: the median of a few processes. */
const imports = (...imported: Imported): Contender => ({
  name: imported[0],
  measure: async ({ folder }) => {
    const times: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { processor: least } = await importOnce(folder, emptyModule);
      times.push((await importOnce(folder, imported)).processor - least);
    }
    return [median(times)];
  },
});

const importTime: Measurement = {
  rows: [row("import (ESM) in a fresh process, over an empty module, processor time", "ms", atMost(4.5))],
  rounds: 11,
  comparesCommits: true,
  subject: imports("@mgmt/sdk", "createClient"),
  others: [
    imports("@mgmt/sdk/partial", "createPartialClient"),
    imports("@mgmt/sdk/node", "nodeTransport"),
    imports("@prisma/management-api-sdk", "createManagementApiClient"),
    imports("stripe", "Stripe"),
    imports("openai", "OpenAI"),
    imports("@octokit/rest", "Octokit"),
  ],
};

const compilerOptions = {
  target: "ES2022",
  module: "ESNext",
  moduleResolution: "Bundler",
  types: ["node"],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** What the compiler says of a program of ten lines with the published declarations. */
const compiles = (name: string, program = typePrograms[name]): Contender => ({
  name,
  measure: () =>
    withFolder(async (folder) => {
      assert.ok(program);
      await writeFile(join(folder, "index.ts"), program);
      await writeFile(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions, files: ["index.ts"] }),
      );
      const compiler = join(root, "node_modules/typescript/bin/tsc");
      const { stdout } = await run(process.execPath, [compiler, "-p", folder, "--extendedDiagnostics"]);
      return ["Instantiations", "Check time"].map((what) =>
        Number(new RegExp(`^${what}:\\s+([\\d.]+)s?$`, "m").exec(stdout)?.[1]),
      );
    }),
});

const types: Measurement = {
  rows: [
    row("type instantiations of a ten-line program, skipLibCheck", "instantiations", atMost(75)),
    row("check time of a ten-line program, skipLibCheck", "s", atMost(0.1)),
  ],
  rounds: 7,
  subject: compiles("@mgmt/sdk"),
  others: [
    compiles("@prisma/management-api-sdk"),
    compiles("stripe"),
    compiles("openai"),
    compiles("@octokit/rest"),
    compiles("an empty module", "export {};\n"),
  ],
};

/** The processor time of a list call over loopback in the caller's process. */
const calls = (name: string, file: string): Contender => ({
  name,
  measure: async (build) => [await call(build, join(build.folder, `contenders/${file}.js`), 3_000)],
});

const callTimes: readonly Measurement[] = [
  {
    rows: [row("one list call, processor time", "µs", ratio(1.08))],
    rounds: 11,
    comparesCommits: true,
    subject: calls("@mgmt/sdk", "mgmt"),
    // Every call of this SDK has a deadline, so the baseline has one, too.
    baseline: calls("fetch with a deadline", "fetch-deadline"),
    others: [
      calls("@prisma/management-api-sdk", "prisma"),
      calls("stripe", "stripe"),
      calls("stripe on fetch", "stripe-fetch"),
      calls("openai", "openai"),
      calls("@octokit/rest", "octokit"),
    ],
  },
  {
    rows: [row("one list call, processor time, with nodeTransport()", "µs", ratio(0.5))],
    rounds: 11,
    comparesCommits: true,
    subject: calls("@mgmt/sdk/node", "mgmt-node"),
    baseline: calls("fetch", "fetch"),
  },
];

const manyPages = { pages: 100, itemsPerPage: 100, latencyMs: 20 } satisfies Lists;

const walks = (name: string, walk: Walk["walk"]): Contender => ({
  name,
  measure: (build) =>
    withProgram(build, "list-server", manyPages, async ({ result: target }: Program<Target>) => [
      await runProgram(build, "walker", {
        walk,
        target,
        ...manyPages,
        workMs: 20,
      } satisfies Walk),
    ]),
});

const pages: Measurement = {
  rows: [row("100 pages of 100, latency 20 ms, work 20 ms a page", "ms", ratio(0.6))],
  rounds: 5,
  subject: walks("@mgmt/sdk, prefetch", "prefetched"),
  baseline: walks("@prisma/management-api-sdk, one by one", "sequential"),
};

/** The built SDK, beside those of other services. */
export const sdk: readonly Measurement[] = [...bundles, importTime, types, ...callTimes, pages];
