import { CliError } from "./cli-error.js";

export const rehearsedCommandFailedError = (exitCode: number, faultCount: number): CliError =>
  new CliError(
    "failure",
    "rehearsal:command_failed",
    `The command exited with ${String(exitCode)} although no fault was simulated`,
    `${faultCount > 0 ? "The faults were not tried. " : ""}Its messages are above. Correct the command, and rehearse it again.`,
  );

/**
 * @param unrecoveredFaults the faults that the command did not recover from.
 * @param unusedFaults the faults that did not occur.
 */
export const notRecoveredError = (
  unrecoveredFaults: readonly string[],
  unusedFaults: readonly string[],
  faultCount: number,
): CliError =>
  new CliError(
    "failure",
    "rehearsal:not_recovered",
    `The command did not recover from ${String(unrecoveredFaults.length)} of ${String(faultCount)} faults: ${unrecoveredFaults.join(", ")}` +
      (unusedFaults.length > 0 ? `. These did not occur: ${unusedFaults.join(", ")}` : ""),
    "Retry failed requests. Create resources with a logical id and `ensure`, so that a retry does not create them twice.",
  );

/** @param unusedFaults the faults that did not occur. */
export const faultsUnusedError = (unusedFaults: readonly string[], faultCount: number): CliError =>
  new CliError(
    "failure",
    "rehearsal:fault_unused",
    `${String(unusedFaults.length)} of ${String(faultCount)} faults did not occur, because the command did not send the request: ${unusedFaults.join(", ")}`,
    "Name an operation and a number that the command sends. --debug shows the requests of an mgmt command.",
  );
