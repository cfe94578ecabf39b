import { exitCodes, planExitCodes } from "./exit-codes.js";

const meanings = {
  ok: "success",
  failure: "failure",
  usage: "invalid command line; nothing was sent",
  inputNeeded: "input or confirmation needed",
  notAuthenticated: "not authenticated",
  forbidden: "forbidden",
  notFound: "not found",
  refused: "conflict or invalid request",
  pending: "still pending, timed out, or outcome unknown",
  network: "network failure, service unavailable, or rate limit",
  partlyDone: "partial success",
  programNotStarted: "the program could not be started",
  programNotFound: "the program was not found",
  hungUp: "interrupted: the terminal was closed",
  interrupted: "interrupted: Ctrl-C",
  quit: "interrupted: SIGQUIT",
  terminated: "interrupted: SIGTERM",
} as const satisfies Record<keyof typeof exitCodes, string>;

/** The exit codes with their meanings, as the help, the printed schemas, and the docs show them. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = Object.entries(
  exitCodes,
).map(([reason, code]) => [code, meanings[reason as keyof typeof exitCodes]]);

/** The exit codes of `mgmt plan --exit-code`, as the help and the docs list them. */
export const planExitCodesText =
  `${String(planExitCodes.unchanged)} if there are no changes, ${String(planExitCodes.changes)} if there are, ` +
  `and ${String(planExitCodes.failed)} after any error`;
