import type { Context, GlobalFlags } from "../input/context.js";
import { type OutputFormat, outputFormats } from "../output/output-format.js";
import { selectProfile } from "./active-profile.js";

/** The settings of a profile that decide how results are printed, and whether notices are. */
export interface StoredSettings {
  readonly output?: OutputFormat | undefined;
  readonly pager?: boolean | undefined;
  readonly updateNotice?: boolean | undefined;
}

/**
 * Returns the settings of the profile that a command line selects. A profiles file or link that cannot be used has none here:
 * commands that need them report the problem.
 */
export const readStoredSettings = (
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd">,
): StoredSettings => {
  try {
    const { profile } = selectProfile(flags, context);
    const { output, pager, updateNotice } = profile ?? {};
    return { output: outputFormats.find((format) => format === output), pager, updateNotice };
  } catch {
    return {};
  }
};
