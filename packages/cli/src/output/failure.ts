import { CliError } from "../errors.js";
import { exitCodeOf, exitCodes, reasonOfLocalCode } from "../exit-codes.js";

/** What is said about an error, on paper and as JSON. Never a stack, a token or a body. */
export interface Failure {
  exitCode: number;
  code: string;
  message: string;
  hint?: string;
  status?: number;
  requestId?: string;
  issues?: readonly { path: string; message: string }[];
  /** Seconds until the service wants to be asked again. */
  retryAfter?: number;
  /** What the code adds: `existingAppId`, `approvalUrl`, … */
  details?: Record<string, unknown>;
}

/** Fields that an error has of its own; what else it carries, its code adds. */
const known = [
  "code",
  "hint",
  "advice",
  "status",
  "requestId",
  "issues",
  "retryAfter",
  "method",
  "path",
  "attempts",
];

export const failureOf = async (error: unknown): Promise<Failure> => {
  if (error instanceof CliError) {
    const { code, message, hint, cause } = error;
    const exitCode = cause === undefined ? exitCodeOf(error) : (await failureOf(cause)).exitCode;
    return { exitCode, code, message, ...(hint !== undefined && { hint }) };
  }
  const sdk = await import("../sdk.js");
  // What our store of credentials throws comes back as the cause.
  if (error instanceof sdk.TokenError && error.cause instanceof CliError) return failureOf(error.cause);
  if (error instanceof sdk.ApiError) return answeredFailure(error, error instanceof sdk.InvalidResponseError);
  if (error instanceof sdk.MgmtError) {
    const reason =
      reasonOfLocalCode(error.code) ??
      (error instanceof sdk.TimeoutError
        ? "pending"
        : error instanceof sdk.ConnectionError
          ? "network"
          : error instanceof sdk.InvalidArgumentError
            ? "usage"
            : "failure");
    const { code, message } = error;
    const hint = error instanceof sdk.ConnectionError ? unreachable : error.hint;
    return {
      exitCode: exitCodes[reason],
      code,
      message,
      ...(hint !== undefined && { hint: ourWords(hint) }),
    };
  }
  if (isDescribed(error)) {
    const { code, message, hint } = error;
    return { exitCode: exitCodes.failure, code, message, ...(hint !== undefined && { hint }) };
  }
  return { exitCode: exitCodes.failure, code: "internal:unexpected", message: messageOf(error) };
};

/** Errors of packages that are not loaded here, such as the platform's: known by their form. */
const isDescribed = (error: unknown): error is Error & { code: string; hint?: string } =>
  error instanceof Error &&
  "code" in error &&
  typeof error.code === "string" &&
  error.code.includes(":") &&
  (!("hint" in error) || typeof error.hint === "string");

const unreachable =
  "Check that the base URL is right and that the service is up; `mgmt dev` runs it on this machine.";

/** The SDK speaks of its options; here they are flags and variables. */
const ourWords = (hint: string): string =>
  hint
    .replaceAll("baseUrl", "the base URL (MGMT_BASE_URL, --base-url)")
    .replaceAll("authUrl", "the address of the authorization server (MGMT_AUTH_URL, --auth-url)")
    .replace(/^Log in again\.$/, "Log in again: mgmt login.")
    .replace(
      "wait for it again, and then send the same request again",
      "run the same command again to go on",
    );

/** The service speaks to programs; what an agent's command waits for has a command of its own. */
const hintOf = ({ code, hint, ...added }: Answered): string | undefined => {
  if (code === "approval_required" && typeof added.approvalId === "string") {
    return (
      `mgmt agent-approvals wait ${added.approvalId} waits for the sponsor; then run the same command again. ` +
      "With --wait-approval a command does both, where its help has that flag."
    );
  }
  return hint === undefined ? undefined : ourWords(hint);
};

interface Answered extends Error {
  status: number;
  code: string;
  hint?: string;
  requestId?: string;
  issues?: readonly { path: string; message: string }[];
  retryAfter?: number;
  /** Of `approval_required`. */
  approvalId?: unknown;
}

const answeredFailure = (error: Answered, invalid: boolean): Failure => {
  const { status, code, message, requestId, issues, retryAfter } = error;
  const added = Object.entries(error).filter(([name]) => !known.includes(name));
  const next = hintOf(error);
  return {
    exitCode: invalid ? exitCodes.failure : exitCodeOf({ status, code }),
    code,
    message,
    ...(next !== undefined && { hint: next }),
    status,
    ...(requestId !== undefined && { requestId }),
    ...(issues !== undefined && { issues }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(added.length > 0 && { details: Object.fromEntries(added) }),
  };
};

const messageOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] || "Something unexpected happened";
};
