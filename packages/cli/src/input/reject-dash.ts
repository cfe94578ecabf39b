import { usageError } from "../errors/usage-errors.js";

/**
 * Rejects `-` as a path, which means standard input or output elsewhere.
 *
 * @param kind what the flag names.
 */
export const rejectDash = (flag: string, path: string | undefined, kind: "file" | "folder"): void => {
  if (path === "-")
    throw usageError(`${flag} must be a ${kind}, not -`, `Pass ./- for a ${kind} of this name.`);
};
