import { benches } from "../benches/index.js";
import { root } from "../runner/paths.js";
import { buildCommit } from "./builds.js";
import { chooseBase, findCommit, workingTreeCommit } from "./commit.js";
import { type Builds, compareBuilds } from "./compare.js";
import { tolerance } from "./verdict.js";

/** They need no Postgres. */
const byDefault = ["http", "sdk", "msw", "cli"];

/**
 * Compares the working tree with a commit, and prints the results. Returns the exit status.
 *
 * @param name A commit, or `auto`, which means that the base is chosen: see `chooseBase`.
 */
export const compareCommits = async (name: string, names: readonly string[], rounds = 5): Promise<number> => {
  const measurements = (names.length > 0 ? names : byDefault)
    .flatMap((each) => benches[each] ?? [])
    .filter(({ comparesCommits }) => comparesCommits);
  if (measurements.length === 0) {
    console.error(`Commits cannot be compared by these benches: ${names.join(", ")}`);
    return 2;
  }
  const base = name === "auto" ? chooseBase(root) : findCommit(root, name);
  const head = workingTreeCommit(root);
  if (name !== "auto" && base === undefined) {
    console.error(`This repository has no commit ${name}`);
    return 2;
  }
  if (base === undefined || head === undefined || base === head) {
    console.log("Nothing to compare: there is no other commit.");
    return 0;
  }
  console.log(`base: ${base.slice(0, 12)}; compared with the working tree`);
  let builds: Builds;
  try {
    builds = { base: await buildCommit(base), head: await buildCommit(head) };
  } catch (error) {
    if (name !== "auto") throw error;
    // A registry may be out of reach, which says nothing about the working tree.
    console.log("Not compared:", error);
    return 0;
  }
  const worse = await compareBuilds(measurements, builds, rounds, console.log);
  const more = `${String(tolerance * 100)} % more than at the base`;
  console.log(
    worse.length === 0 ? `No row costs over ${more}.` : `Rows that cost over ${more}: ${worse.join(", ")}`,
  );
  return worse.length === 0 ? 0 : 1;
};
