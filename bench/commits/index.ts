import { relative } from "node:path";
import { callOnFetch, callOnNode } from "../rows/call.js";
import { engineList } from "../rows/engine.js";
import { longList, shortList } from "../rows/http.js";
import { sdkImport } from "../rows/import.js";
import type { Measurement } from "../rows/measurement.js";
import { mswRequest } from "../rows/msw.js";
import { platformRequests } from "../rows/platform.js";
import { root } from "../runner/paths.js";
import { buildCommit, copyWorkingTree } from "./builds.js";
import { chooseBase, findCommit, packagesAreCommitted } from "./commit.js";
import { type Builds, compareBuilds } from "./compare.js";
import { tolerance } from "./verdict.js";

/** What can be compared. Those in `byDefault` need neither Postgres nor other SDKs. */
const measurements: Readonly<Record<string, readonly Measurement[]>> = {
  http: [shortList, longList],
  sdk: [callOnFetch, callOnNode],
  import: [sdkImport],
  msw: [mswRequest],
  engine: [engineList],
  platform: [platformRequests],
};
const byDefault = ["http", "sdk", "import", "msw"];

/** Means that the base is chosen: see `chooseBase`. */
const automatic = "auto";

export interface CommitsToCompare {
  /** A commit, or `auto`. */
  readonly base: string;
  readonly names: readonly string[];
  readonly rounds: number | undefined;
  /** The commit whose measurements are in the documentation. */
  readonly recorded: string | undefined;
}

export class ComparisonUsageError extends Error {}

/** Compares the working tree with a commit. Returns the number of rows that are worse. */
export const compareCommits = async ({
  base: name,
  names,
  rounds = 5,
  recorded,
}: CommitsToCompare): Promise<number> => {
  const unknown = names.filter((each) => !Object.hasOwn(measurements, each));
  if (unknown.length > 0) {
    throw new ComparisonUsageError(
      `These cannot be compared between commits: ${unknown.join(", ")}. Those that can: ${Object.keys(measurements).join(", ")}`,
    );
  }
  const base = name === automatic ? chooseBase(root, recorded) : named(name);
  if (!base) {
    console.log("Nothing to compare with: this clone has no other commit.");
    return 0;
  }
  if (base.commit === findCommit(root, "HEAD") && packagesAreCommitted(root)) {
    console.log(`Nothing to compare: ${name} is the present commit.`);
    return 0;
  }
  console.log(`base: ${base.commit.slice(0, 12)}, ${base.reason}; compared with the working tree`);
  let builds: Builds;
  try {
    builds = { base: buildCommit(base.commit), head: copyWorkingTree() };
  } catch (error) {
    if (name !== automatic) throw error;
    // A registry may be out of reach, which says nothing about the working tree.
    console.log(`Not compared: ${error instanceof Error ? error.message : String(error)}`);
    return 0;
  }
  console.log(`builds: ${relative(root, builds.base.folder)}, ${relative(root, builds.head.folder)}`);
  const chosen = (names.length > 0 ? names : byDefault).flatMap((each) => measurements[each] ?? []);
  const worse = await compareBuilds(chosen, builds, rounds, (text) => {
    console.log(text);
  });
  console.log(
    worse.length === 0
      ? `No row costs over ${String(tolerance * 100)} % more than at the base.`
      : `Rows that cost over ${String(tolerance * 100)} % more than at the base: ${worse.join(", ")}`,
  );
  return worse.length;
};

const named = (name: string) => {
  const commit = findCommit(root, name);
  if (commit === undefined) throw new ComparisonUsageError(`This repository has no commit ${name}`);
  return { commit, reason: name };
};
