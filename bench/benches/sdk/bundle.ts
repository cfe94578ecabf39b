import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Caller, ListServer } from "../../programs/calls.js";
import type { Finding, Series } from "../../runner/bench.js";
import { bundleForBrowser } from "../../runner/browser-bundle.js";
import { goals } from "../../runner/goals.js";
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
        await caller.calls.time(1);
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
        goal: goals.sdk.bundle,
        notes: ["esbuild: browser, minified, ES2022, split at import(); each bundle has listed something"],
      },
      {
        title: "bundle, gzip, what is loaded at start: one resource through the tree-shakable client",
        subject: split.atStart,
        others: [split.onDemand, one.atStart, one.onDemand],
        goal: goals.sdk.partialBundle,
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
    const { files, atStart, onDemand } = await bundleForBrowser({
      entryPoints: [file],
      outdir: folder,
      absWorkingDir: folder,
    });
    for (const { path, contents } of files) await writeFile(path, contents);
    await prove(join(folder, basename(file)));
    return {
      atStart: { name, unit: "B", rounds: [atStart] },
      onDemand: { name: "  its chunks on demand", unit: "B", rounds: [onDemand] },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
