import type { Context } from "../input/context.js";
import { secretInLogError } from "../errors/secret-errors.js";
import type { OutputFormat } from "../output/output-format.js";
import { findUnsafeReader } from "../system/reader.js";
import { type SecretFileFlags, type SecretFlags, setsCiVariable } from "./secret-flags.js";

/** Where the secrets in the result of a command go. */
export type SecretDestination =
  /** Secrets are printed: all of them, or only those that the command creates. Other secrets are masked. */
  | { readonly to: "output"; readonly scope: "all" | "new" }
  /** They are written into the files that the flags name, and printed as well or masked. */
  | { readonly to: "files"; readonly flags: SecretFileFlags; readonly inOutput: "printed" | "masked" }
  /** They are masked. `reason` is a clause such as: CI keeps what is printed in its log. */
  | { readonly to: "nowhere"; readonly reason: string };

/**
 * Returns where the flags of a command send the secrets in its result. Without flags, new ones are printed, except in CI and where a coding
 * agent runs the command, and existing ones are masked.
 */
export const resolveSecretDestination = (
  flags: SecretFlags,
  { env }: Pick<Context, "env">,
): SecretDestination => {
  const { showSecrets, secretFile } = flags;
  const printsAll = showSecrets === true || secretFile === "-";
  if (setsCiVariable(flags) || (secretFile !== undefined && secretFile !== "-")) {
    return { to: "files", flags, inOutput: printsAll ? "printed" : "masked" };
  }
  if (printsAll) return { to: "output", scope: "all" };
  const reason = findUnsafeReader(env);
  return reason === undefined ? { to: "output", scope: "new" } : { to: "nowhere", reason };
};

/** Returns whether a command prints also the secrets that existed before. */
export const printsAllSecrets = (destination: SecretDestination): boolean =>
  destination.to === "files"
    ? destination.inOutput === "printed"
    : destination.to === "output" && destination.scope === "all";

/** Returns whether a command prints the secrets that it creates. */
export const printsNewSecrets = (destination: SecretDestination): boolean =>
  destination.to === "output" || printsAllSecrets(destination);

/**
 * Rejects a command whose whole result is a secret that would only be masked. Call it before anything is sent.
 *
 * @param fileFlag the flag with which the command writes it to a file. Default: `--secret-file`.
 * @throws `secrets:in_log`.
 */
export const assertHasDestination = (
  secretLabel: string,
  destination: SecretDestination,
  fileFlag = "--secret-file",
): void => {
  if (destination.to === "nowhere") throw secretInLogError(secretLabel, fileFlag, destination.reason);
};

/** Returns the format of a result: with `--secret-file -`, lines of JSON, as a file has them, instead of a table. */
export const formatWithSecrets = ({ secretFile }: SecretFlags, format: OutputFormat): OutputFormat =>
  secretFile === "-" && format === "table" ? "ndjson" : format;
