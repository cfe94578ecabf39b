import { existsSync, readFileSync } from "node:fs";

/** What failed in a test file. A failure without a test is that of a hook, an import, or a promise that nobody handled. */
export interface FailedFile {
  /** From the root of the repository. */
  readonly file: string;
  readonly failures: { readonly test?: string; readonly message: string }[];
}

/** How a run of Vitest ended. */
export interface TestRun {
  /** Number of tests. */
  readonly passed: number;
  /** Number of tests. */
  readonly failed: number;
  readonly files: readonly FailedFile[];
  /** Errors that no test file can be named for. */
  readonly unhandled: readonly string[];
}

/** Reads the report of a run, or returns undefined if Vitest did not come to its end. */
export const readTestRun = (path: string): TestRun | undefined =>
  // Only our own reporter writes it.
  existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as TestRun) : undefined;
