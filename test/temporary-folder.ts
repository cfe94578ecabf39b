import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** With TMPDIR, platforms would not keep their ephemeral databases in memory, which is faster. TMP has no other effect. */
const variable = process.env["TMPDIR"] ? "TMPDIR" : "TMP";

/** Gives this run a temporary folder of its own. Fails the run if tests leave folders of ours in it, which may contain secrets. */
export const setup = (): (() => void) => {
  const before = process.env[variable];
  const folder = mkdtempSync(join(tmpdir(), "mgmt-run-"));
  // Tests also run programs as other accounts.
  chmodSync(folder, 0o1777);
  process.env[variable] = folder;
  return () => {
    // Another project of this run has its folder in this one.
    const left = readdirSync(folder).filter(
      (name) => name.startsWith("mgmt-") && !name.startsWith("mgmt-run-"),
    );
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
