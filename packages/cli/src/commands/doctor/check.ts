import { toFailure } from "../../errors/failure.js";

/** Disables retries, so that a service that is down is reported soon. */
export const singleAttemptOptions = { timeoutMs: 10_000, maxRetries: 0 };

/** The result of one check. */
export interface Check {
  readonly name: string;
  /** `skipped` if an earlier failure makes the check impossible. */
  readonly status: "ok" | "warning" | "failure" | "skipped";
  readonly message: string;
  readonly hint?: string;
  /** Command lines that help, the best first: lists of words that start with `mgmt`. */
  readonly next: readonly (readonly string[])[];
}

/** Returns a check that has found no problem. */
export const createOkCheck = (name: string, message: string): Check => ({
  name,
  status: "ok",
  message,
  next: [],
});

/** Returns a check that did not run; `message` explains why. */
export const createSkippedCheck = (name: string, message: string): Check => ({
  name,
  status: "skipped",
  message,
  next: [],
});

/** How to solve a problem. */
interface CheckDetails {
  readonly hint?: string | undefined;
  readonly next?: Check["next"] | undefined;
}

const createProblemCheck = (
  status: "warning" | "failure",
  name: string,
  message: string,
  { hint, next = [] }: CheckDetails,
): Check => ({ name, status, message, ...(hint !== undefined && { hint }), next });

/** Returns a check that has found a problem which does not keep commands from working. */
export const createWarningCheck = (name: string, message: string, details: CheckDetails = {}): Check =>
  createProblemCheck("warning", name, message, details);

/** Returns a check that has found a problem because of which commands fail. */
export const createFailureCheck = (name: string, message: string, details: CheckDetails = {}): Check =>
  createProblemCheck("failure", name, message, details);

/** Returns the result of a check that threw an error. */
export const createErrorCheck = async (
  name: string,
  error: unknown,
  next?: Check["next"],
): Promise<Check> => {
  const { message, code, hint, next: ownNext } = await toFailure(error);
  return createFailureCheck(name, `${message} (${code})`, { hint, next: ownNext ?? next });
};
