/** The exit codes of `mgmt`, which `exit-code-meanings.ts` describes. This module is the only one that maps an error to an exit code. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  inputNeeded: 3,
  notAuthenticated: 4,
  forbidden: 5,
  notFound: 6,
  refused: 7,
  pending: 8,
  network: 9,
  partlyDone: 10,
  /** Codes if the program of `run`, `psql`, or `rehearse` cannot be started, or does not exist. Shells use the same codes. */
  programNotStarted: 126,
  programNotFound: 127,
  /** Shells use this code and the next three too: 128 and the number of the signal. */
  hungUp: 129,
  interrupted: 130,
  quit: 131,
  terminated: 143,
} as const;

/** Why a command has not succeeded. Each reason has its own exit code. */
export type ExitReason = Exclude<keyof typeof exitCodes, "ok">;

/** The signals that terminate a run in an orderly way. */
export const terminationSignals = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"] as const;
/** A signal that terminates the command. */
export type TerminationSignal = (typeof terminationSignals)[number];

/** Why the command exits, by the signal that terminates it. */
export const exitReasonBySignal = {
  SIGINT: "interrupted",
  SIGQUIT: "quit",
  SIGTERM: "terminated",
  SIGHUP: "hungUp",
} as const satisfies Record<TerminationSignal, ExitReason>;

/** Returns the code with which the command exits after a signal has terminated it. */
export const getExitCodeOfSignal = (signal: TerminationSignal): number =>
  exitCodes[exitReasonBySignal[signal]];

/** Returns whether a run ended because of a signal. */
export const isInterruption = (exitCode: number): boolean =>
  terminationSignals.some((signal) => getExitCodeOfSignal(signal) === exitCode);

/** Makes the run exit with the status of a program that it has run. Prints nothing, because the program has reported its error. */
export class ProgramExitError extends Error {
  constructor(readonly status: number) {
    super(`The run ends with status ${String(status)}`);
  }
}

/** The exit codes of `mgmt plan --exit-code`. */
export const planExitCodes = { unchanged: 0, failed: 1, changes: 2 } as const;

/** Error codes whose exit code does not follow from an HTTP status. Codes that are not listed are a `failure`. */
const exitReasonByCode: Readonly<Record<string, ExitReason>> = {
  "argument:invalid": "usage",
  "connection:failed": "network",
  "connection:timeout": "pending",
  "auth:login_required": "notAuthenticated",
  "auth:denied": "notAuthenticated",
  "auth:login_failed": "notAuthenticated",
  "auth:state_mismatch": "notAuthenticated",
  "auth:issuer_mismatch": "notAuthenticated",
  "auth:callback_invalid": "usage",
  "auth:timeout": "pending",
  "auth:refresh_failed": "network",
  "auth:revoke_failed": "network",
  "auth:discovery_failed": "network",
  "wait:timeout": "pending",
  "approval:denied": "forbidden",
  "approval:expired": "pending",
  "approval:consumed": "refused",
  "serve:already_initialized": "refused",
  "serve:approval_refused": "refused",
  "serve:config_invalid": "usage",
  "serve:config_unreadable": "usage",
  "serve:database_unreachable": "network",
  "serve:not_a_member": "refused",
  "serve:not_found": "notFound",
  "serve:value_invalid": "usage",
};

/** Error responses whose exit code does not follow from their status. The request of an agent waits for its sponsor. */
const exitReasonByResponseCode: Readonly<Record<string, ExitReason>> = { approval_required: "pending" };

const getExitReasonOfStatus = (status: number): ExitReason => {
  if (status === 401) return "notAuthenticated";
  if (status === 403) return "forbidden";
  if (status === 404) return "notFound";
  if (status === 408) return "pending";
  if ([429, 502, 503, 504].includes(status)) return "network";
  return status >= 400 && status < 500 ? "refused" : "failure";
};

/**
 * Returns the exit code of an error: by its `reason`, by the HTTP `status` of an error response (so that a `code` of a newer service is not
 * a problem), else by its `code`.
 */
export const determineExitCode = (
  error: { reason: ExitReason } | { status: number; code: string } | { code: string },
): number => exitCodes[determineExitReason(error)];

const determineExitReason = (error: Parameters<typeof determineExitCode>[0]): ExitReason => {
  if ("reason" in error) return error.reason;
  if ("status" in error)
    return lookUpReason(exitReasonByResponseCode, error.code) ?? getExitReasonOfStatus(error.status);
  return lookUpReason(exitReasonByCode, error.code) ?? "failure";
};

const lookUpReason = (reasons: Readonly<Record<string, ExitReason>>, code: string): ExitReason | undefined =>
  Object.hasOwn(reasons, code) ? reasons[code] : undefined;
