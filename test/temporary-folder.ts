import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** With TMPDIR, platforms would not keep their ephemeral databases in memory, which is faster. TMP has no other effect. */
const variable = process.env["TMPDIR"] ? "TMPDIR" : "TMP";

const prefix = "mgmt-run-";

/** Gives this run a temporary folder of its own. Fails the run if tests leave folders of ours in it, which may contain secrets. */
export const setup = (): (() => void) | undefined => {
  const before = process.env[variable];
  // Another project of this run has made it.
  if (before !== undefined && basename(before).startsWith(prefix)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), prefix));
  // Tests also run programs as other accounts.
  chmodSync(folder, 0o1777);
  process.env[variable] = folder;
  return () => {
    const left = readdirSync(folder).filter((name) => name.startsWith("mgmt-"));
    const contents = left.flatMap((name) => filesIn(join(folder, name)));
    rmSync(folder, { recursive: true, force: true });
    if (before === undefined) delete process.env[variable];
    else process.env[variable] = before;
    if (left.length === 0) return;
    // Vitest only prints errors of a teardown.
    process.exitCode = 1;
    throw new Error(`Tests left these folders in the temporary directory:\n${contents.join("\n")}`);
  };
};

/** Returns a folder and the first files in it. */
const filesIn = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: "utf8" })
    .slice(0, 5)
    .map((name) => join(folder, name)),
];
