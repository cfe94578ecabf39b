import { type Answer, isRecord } from "./mgmt-dev.js";
import { Violation } from "./violation.js";

/** What a client knows after a request. */
export type Outcome =
  | { type: "acknowledged"; body: Record<string, unknown> }
  /** The request was refused, so nothing changed. */
  | { type: "refused"; status: number; code: string }
  /** The change may have happened or not. */
  | { type: "unanswered" };

/**
 * Sends a request and classifies its answer.
 *
 * @throws Violation for an error that blames the service, other than that it is unavailable.
 */
export const send = async (what: string, request: () => Promise<Answer>): Promise<Outcome> => {
  let answer: Answer;
  try {
    answer = await request();
  } catch {
    return { type: "unanswered" };
  }
  const { status, body } = answer;
  if (status < 300) return { type: "acknowledged", body };
  if (status === 503) return { type: "unanswered" };
  if (status >= 500)
    throw new Violation(`${what} was answered with ${String(status)} ${JSON.stringify(body)}`);
  return { type: "refused", status, code: textAt(body, "error", "code") };
};

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
