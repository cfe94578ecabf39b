import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { ApiError, MgmtError, Advice, AwaitedKind, WaitError } from "@mgmt/sdk";
import { determineExitCode, exitCodes } from "./exit-codes.js";
import { CliError } from "./cli-error.js";
import { isNestedTooDeep } from "../json/nesting.js";
import { tooDeepError } from "./response-errors.js";
import { getFirstLine, describeTooManyFiles, isTooManyFilesCode, tooManyFilesHint } from "./last-resort.js";

/** The printed description of an error, as text or JSON. Never contains a stack, a token or a response body. */
export interface Failure {
  exitCode: number;
  code: string;
  message: string;
  hint?: string;
  status?: number;
  requestId?: string;
  issues?: readonly { path: string; message: string }[];
  /** Seconds that the service asks to wait before the next request. */
  retryAfter?: number;
  /** Command lines that help, the best first: lists of words that start with `mgmt`. */
  next?: readonly (readonly string[])[];
  /** Fields that the code adds: `existingAppId`, `approvalUrl`, … */
  details?: Record<string, unknown>;
}

/** Describes any error. */
export const toFailure = async (error: unknown): Promise<Failure> => {
  const openFilesFailure = describeTooManyFiles(error);
  if (openFilesFailure) return { exitCode: exitCodes.failure, ...openFilesFailure };
  if (error instanceof CliError) {
    const { code, message, hint, next, cause } = error;
    const exitCode = cause === undefined ? determineExitCode(error) : (await toFailure(cause)).exitCode;
    return { exitCode, code, message, ...(hint !== undefined && { hint }), ...(next && { next }) };
  }
  const { ApiError, InvalidResponseError, MgmtError, TokenError } = await import("../sdk/sdk.js");
  // Errors of our own credential stores arrive as the cause of the SDK's error.
  if (error instanceof TokenError && error.cause instanceof CliError) return toFailure(error.cause);
  if (error instanceof ApiError) {
    const exitCode = error instanceof InvalidResponseError ? exitCodes.failure : determineExitCode(error);
    return {
      exitCode,
      ...describeResponseFailure(
        error,
        findApprovalHint(error) ??
          findRejectedTokenHint(error) ??
          findRateLimitHint(error) ??
          findInvalidInputHint(error) ??
          chooseHint(error),
      ),
    };
  }
  if (error instanceof MgmtError) {
    const { code, message } = error;
    const knownFailure = await describeNetworkFailure(error);
    if (knownFailure) return knownFailure;
    const hint = chooseHint(error);
    return { exitCode: determineExitCode({ code }), code, message, ...(hint !== undefined && { hint }) };
  }
  // Some walk through data that is not checked before.
  if (error instanceof RangeError && /call stack/.test(error.message)) return toFailure(tooDeepError());
  if (isCodedError(error)) {
    const { code, message, hint } = error;
    return { exitCode: determineExitCode({ code }), code, message, ...(hint !== undefined && { hint }) };
  }
  return { exitCode: exitCodes.failure, code: "internal:unexpected", message: getFirstLine(error) };
};

/** Describes a failure of the network that has a known remedy. */
const describeNetworkFailure = async (error: MgmtError): Promise<Failure | undefined> => {
  const url = findFailedRequestUrl(error);
  if (url === undefined) return undefined;
  const { describeNetworkProblem } = await import("./network-problem.js");
  const problem = describeNetworkProblem(error, new URL(url).hostname);
  return problem && { exitCode: exitCodes.network, ...problem };
};

/** Returns the URL of the request that failed: errors of a login have the error of the request as their cause. */
const findFailedRequestUrl = (error: Error): string | undefined => {
  if ("url" in error && typeof error.url === "string") return error.url;
  return error.cause instanceof Error ? findFailedRequestUrl(error.cause) : undefined;
};

const describeResponseFailure = (error: ApiError, hint: string | undefined): Omit<Failure, "exitCode"> => {
  const { status, code, message, requestId, issues, retryAfter } = error;
  const details = readDetails(error);
  return {
    code,
    message,
    ...(hint !== undefined && { hint }),
    status,
    ...(requestId !== undefined && { requestId }),
    ...(issues !== undefined && { issues }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(details !== undefined && { details }),
  };
};

/** Returns the fields that the class of an error declares for its code. */
const readDetails = (error: ApiError): Record<string, unknown> | undefined => {
  // Every `ApiError` is made by a class with this static property.
  const { fields } = error.constructor as typeof ApiError;
  const details = fields.flatMap((name): [string, unknown][] => {
    const value: unknown = Reflect.get(error, name);
    return value === undefined || isNestedTooDeep(value) ? [] : [[name, value]];
  });
  return details.length === 0 ? undefined : Object.fromEntries(details);
};

/**
 * Returns the hint for a request that needs an approval. The hint of the service is written for programs; the command line has a command
 * that waits.
 */
const findApprovalHint = (error: ApiError): string | undefined => {
  if (error.code !== "approval_required" || !("approvalId" in error)) return undefined;
  return (
    `mgmt agent-approvals wait ${String(error.approvalId)} waits for the sponsor; then run the same command again. ` +
    "Commands with the flag --wait-approval do both."
  );
};

/** Returns the hint for a token that the service does not accept, instead of the hint of the service, which is about HTTP headers. */
const findRejectedTokenHint = ({ status }: ApiError): string | undefined =>
  status === 401
    ? "mgmt auth status shows where the token comes from. Log in again with mgmt login, or correct MGMT_TOKEN or --token-file."
    : undefined;

/**
 * Returns the hint for status 429. The hint of the service is about requests at the same time, for which the command line has no option.
 */
const findRateLimitHint = ({ status, retryAfter }: ApiError): string | undefined =>
  status === 429
    ? `Nothing was done. Wait ${retryAfter === undefined ? "a minute" : `${String(retryAfter)} s`}, then run the same command again.`
    : undefined;

/** Returns the hint for invalid input, instead of the hint of the service, which is about fields of JSON that text does not show. */
const findInvalidInputHint = ({ code }: ApiError): string | undefined =>
  code === "validation:failed" ? "Correct what the message names, and run the command again." : undefined;

/** Errors of packages that are not loaded here, such as the platform's, have a code and sometimes a hint. */
const isCodedError = (error: unknown): error is Error & { code: string; hint?: string } =>
  error instanceof Error &&
  readErrorCode(error)?.includes(":") === true &&
  (!("hint" in error) || typeof error.hint === "string");

const baseUrlPhrase = "the base URL (MGMT_BASE_URL, --base-url)";

/** The SDK's advice in terms of the command line: in flags, variables and commands. */
const hintsByAdvice: Readonly<Record<Advice, string>> = {
  fix_argument: "Correct the value. Nothing was sent.",
  check_base_url: `Check that ${baseUrlPhrase} is the URL of the Management API and that the service is running. \`mgmt dev\` runs it on this machine.`,
  use_redirect_target: `Use the URL that the service redirects to as ${baseUrlPhrase}.`,
  check_intermediary: `The response may come from a server in between. Check ${baseUrlPhrase}, proxies and load balancers.`,
  check_auth_url:
    "Check that the URL of the authorization server (MGMT_AUTH_URL, --auth-url) is correct and that it can be reached.",
  check_client_id: "Log in again with mgmt login.",
  check_token: "Check the token for a line break or a leading `Bearer `.",
  set_token: "Log in with mgmt login, or set MGMT_TOKEN.",
  log_in: "Log in again with mgmt login.",
  log_in_manually: "Run mgmt login --no-browser, and paste the URL that the browser is redirected to.",
  wait_longer: "The work continues in the background. Pass a longer --timeout to wait longer.",
  wait_and_resend: "The sponsor may still decide. Run the same command again to keep waiting.",
  start_deployment: "Start it again with mgmt deployments start, then wait.",
};

const commandGroupByType: Readonly<Record<AwaitedKind, string>> = {
  approval: "agent-approvals",
  database: "databases",
  deployment: "deployments",
  service: "services",
  project: "projects",
};

/** Returns the hint of an SDK error: the command line's own words where the SDK's name its options or methods. */
const chooseHint = (error: MgmtError): string | undefined => {
  if (error.advice === undefined) return error.hint;
  // The command line has no option for it.
  if ("argument" in error && error.argument === "proxy") {
    return "Correct the variable HTTPS_PROXY, HTTP_PROXY or ALL_PROXY. Nothing was sent.";
  }
  if ("reason" in error && isTooManyFilesCode(error.reason)) return tooManyFilesHint;
  const hint = hintsByAdvice[error.advice];
  if (error.advice !== "wait_longer" || !isWaitError(error)) return hint;
  return `${hint} mgmt ${commandGroupByType[error.resource]} get ${error.id} shows its status.`;
};

const isWaitError = (error: MgmtError): error is WaitError => "resource" in error && "id" in error;
