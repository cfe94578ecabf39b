/** What a run of `mgmt` ends with; the one place that maps an error to a code. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  /** The command line is wrong; nothing was sent. */
  usage: 2,
  /** An answer or a confirmation of yours is needed. */
  inputNeeded: 3,
  notAuthenticated: 4,
  forbidden: 5,
  notFound: 6,
  /** The service refused the request: a conflict, or something that does not fit. */
  refused: 7,
  /** Still pending, or out of time. */
  pending: 8,
  /** No answer from the service, or too many requests. */
  network: 9,
  partlyDone: 10,
  interrupted: 130,
} as const;

export type ExitReason = Exclude<keyof typeof exitCodes, "ok">;

/** The exit reasons as the help shows them. */
export const exitCodeHelp: readonly (readonly [code: number, meaning: string])[] = [
  [0, "done"],
  [1, "failed"],
  [2, "wrong command line, nothing was sent"],
  [3, "input or a confirmation is needed"],
  [4, "not authenticated"],
  [5, "forbidden"],
  [6, "not found"],
  [7, "conflict or invalid"],
  [8, "still pending, or timed out"],
  [9, "network trouble or rate limit"],
  [10, "partly done"],
  [130, "interrupted"],
];

/** By status: a code of the service that we do not know never fails the mapping. */
const reasonOfStatus = (status: number): ExitReason => {
  if (status === 401) return "notAuthenticated";
  if (status === 403) return "forbidden";
  if (status === 404) return "notFound";
  if (status === 408) return "pending";
  if (status === 429) return "network";
  if (status === 405) return "failure";
  return status >= 400 && status < 500 ? "refused" : "failure";
};

/** An agent's request waits for its sponsor. */
const reasonOfCode: Readonly<Record<string, ExitReason>> = { approval_required: "pending" };

/** Of errors that are not the service's own answer: logging in, and waiting. */
const reasonOfLocal: Readonly<Record<string, ExitReason>> = {
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
};

export const reasonOfLocalCode = (code: string): ExitReason | undefined =>
  Object.hasOwn(reasonOfLocal, code) ? reasonOfLocal[code] : undefined;

export const exitCodeOf = (error: { reason: ExitReason } | { status: number; code: string }): number => {
  if ("reason" in error) return exitCodes[error.reason];
  return exitCodes[reasonOfCode[error.code] ?? reasonOfStatus(error.status)];
};
