import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Metafile, build } from "esbuild";
import type { Caller, ListServer } from "../../programs/calls.js";
import type { Finding, Series } from "../../runner/bench.js";
import { programFolder } from "../../runner/paths.js";
import { startProgram } from "../../runner/program.js";
import { type Contender, octokit, oneResource, openai, ours, partial, prisma, stripe } from "./contenders.js";

/** Bytes of gzipped JavaScript that a browser loads for one client and one list call. */
export const bundleSizes = async (): Promise<Finding[]> => {
  const server = await startProgram<ListServer>("list-server");
  const caller = await startProgram<Caller>("caller");
  try {
    const target = await server.calls.start({ pages: 1, itemsPerPage: 2, latencyMs: 0 });
    const sizes = (contender: Contender): Promise<Sizes> =>
      sizesOf(contender, async (file) => {
        await caller.calls.start(file, target, 2);
        await caller.calls.time(1, 1);
      });
    const all = await sizes(ours);
    const one = await sizes(oneResource);
    const split = await sizes(partial);
    const peers: Series[] = [];
    for (const peer of [prisma, stripe, openai, octokit]) peers.push((await sizes(peer)).atStart);
    return [
      {
        title: "bundle, gzip, what is loaded at start: all resources",
        subject: all.atStart,
        others: [all.onDemand, ...peers],
        goal: { of: "median", relation: "≤", limit: 8192 },
        notes: ["esbuild: browser, minified, ES2022, split at import(); each bundle has listed something"],
      },
      {
        title: "bundle, gzip, what is loaded at start: one resource through the tree-shakable client",
        subject: split.atStart,
        others: [split.onDemand, one.atStart, one.onDemand],
        goal: { of: "median", relation: "≤", limit: 5120 },
      },
    ];
  } finally {
    await Promise.all([server.stop(), caller.stop()]);
  }
};

interface Sizes {
  readonly atStart: Series;
  readonly onDemand: Series;
}

/** `prove` must list something with the bundle. */
const sizesOf = async (
  { name, file }: Contender,
  prove: (bundle: string) => Promise<void>,
): Promise<Sizes> => {
  await mkdir(programFolder, { recursive: true });
  const folder = await mkdtemp(join(programFolder, "bundle-"));
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [file],
      outdir: folder,
      absWorkingDir: folder,
      bundle: true,
      minify: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      metafile: true,
      write: false,
      logLevel: "error",
      // The root's tsconfig would resolve the packages to their sources.
      tsconfigRaw: {},
    });
    for (const { path, contents } of outputFiles) await writeFile(path, contents);
    await prove(join(folder, basename(file)));

    const atStart = loadedAtStart(metafile, basename(file));
    const bytes = new Map(
      outputFiles.map(({ path, contents }) => [basename(path), gzipSync(contents).length]),
    );
    const sum = (isCounted: (output: string) => boolean): number =>
      [...bytes].reduce((total, [output, size]) => total + (isCounted(output) ? size : 0), 0);
    assert.ok(atStart.has(basename(file)));
    return {
      atStart: { name, unit: "B", rounds: [sum((output) => atStart.has(output))] },
      onDemand: {
        name: "  its chunks on demand",
        unit: "B",
        rounds: [sum((output) => !atStart.has(output))],
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Returns the entry and everything that it imports statically, directly or indirectly. */
const loadedAtStart = ({ outputs }: Metafile, entry: string, found = new Set<string>()): Set<string> => {
  found.add(entry);
  for (const { path, kind } of outputs[entry]?.imports ?? []) {
    if (kind === "import-statement" && !found.has(path)) loadedAtStart({ inputs: {}, outputs }, path, found);
  }
  return found;
};
