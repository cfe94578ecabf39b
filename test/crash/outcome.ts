import type { Meaning } from "./answers.js";
import { type Answer, isRecord } from "./request.js";
import { Violation } from "./violation.js";

/** What a client knows after a request. */
export type Outcome = { meaning: Meaning } & (
  | { type: "acknowledged"; body: Record<string, unknown> }
  /** Nothing changed. */
  | { type: "refused" }
  /** The change may have happened or not. */
  | { type: "unanswered" }
);

/**
 * Sends a request and classifies its answer.
 *
 * @throws Violation for an error that blames the service, other than that it is unavailable.
 */
export const send = async (what: string, request: () => Promise<Answer>): Promise<Outcome> => {
  let answer: Answer;
  try {
    answer = await request();
  } catch (error) {
    if (error instanceof Violation) throw error;
    return isUnsent(error)
      ? { type: "refused", meaning: "not sent" }
      : { type: "unanswered", meaning: "cut" };
  }
  const { status, body, hasRetryAfter } = answer;
  if (status < 300) return { type: "acknowledged", meaning: "done", body };
  if (status === 503) {
    return hasRetryAfter
      ? { type: "refused", meaning: "503, nothing done" }
      : { type: "unanswered", meaning: "503, unknown" };
  }
  if (status >= 500)
    throw new Violation(`${what} was answered with ${String(status)} ${JSON.stringify(body)}`);
  return { type: "refused", meaning: "refused" };
};

/** Whether no connection was made. */
const isUnsent = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  error.cause.code === "ECONNREFUSED";

/** Returns the value at a path of object fields and array indexes. */
export const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((current, key) => {
    if (Array.isArray(current) && typeof key === "number") return current[key];
    return isRecord(current) ? current[key] : undefined;
  }, value);

/** Returns the text at a path; empty when there is none. */
export const textAt = (value: unknown, ...path: (string | number)[]): string => {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
};

/** Returns the items of an array at a path; none when there is no array. */
export const listAt = (value: unknown, ...path: (string | number)[]): unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};
