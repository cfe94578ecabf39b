import type { Failure } from "../../errors/failure.js";
import type { ItemResult } from "../../output/output.js";
import type { PlannedRequest } from "../../output/curl-line.js";

/** The results that several commands print. */
export interface SharedResults {
  /** A line of standard error of a command that failed. */
  error: { readonly error: Omit<Failure, "exitCode"> };
  /** What became of one of several items. */
  item: ItemResult;
  /** The requests that `--dry-run` prints instead of sending them. */
  dryRun: readonly PlannedRequest[];
}
