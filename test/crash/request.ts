import { Violation, within } from "./violation.js";

/** A response of the API or of the control surface. */
export interface Answer {
  status: number;
  /** The parsed body; its fields are those of the contract. */
  body: Record<string, unknown>;
  /** Whether the client may repeat the request, because nothing was done. */
  hasRetryAfter: boolean;
}

/** The longest time that a request may take, in milliseconds. Only a defect exceeds it. */
const deadline = 30_000;

/** Sends a request. Throws a Violation without a response, and a TypeError when there is no connection, or it is cut. */
export const sendRequest = async (
  url: string,
  method: string,
  headers: Record<string, string>,
  body: object | undefined,
): Promise<Answer> => {
  const ending = new AbortController();
  const receive = async (): Promise<Answer> => {
    const response = await fetch(url, {
      method,
      signal: ending.signal,
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed: unknown = text === "" ? {} : JSON.parse(text);
    return {
      status: response.status,
      body: isRecord(parsed) ? parsed : {},
      hasRetryAfter: response.headers.has("retry-after"),
    };
  };
  const message = `${method} ${new URL(url).pathname} has no response`;
  return within(deadline, receive(), message).finally(() => ending.abort());
};

export const describe = ({ status, body }: Answer): string => `${String(status)} ${JSON.stringify(body)}`;

/** What a client knows about a change. When it is `unknown`, it may have happened or not. */
export type Outcome =
  | { type: "done"; body: Record<string, unknown> }
  | { type: "refused" }
  | { type: "unknown" };

/** Sends a request. Throws a Violation for an error that blames the service, other than that it is unavailable. */
export const outcomeOf = async (what: string, request: () => Promise<Answer>): Promise<Outcome> => {
  try {
    const answer = await request();
    if (answer.status < 300) return { type: "done", body: answer.body };
    if (answer.status === 503 && !answer.hasRetryAfter) return { type: "unknown" };
    if (answer.status < 500 || answer.status === 503) return { type: "refused" };
    throw new Violation(`${what}: ${describe(answer)}`);
  } catch (error) {
    if (error instanceof Violation) throw error;
    return { type: textAt(error, "cause", "code") === "ECONNREFUSED" ? "refused" : "unknown" };
  }
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const at = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((current, key) => {
    if (Array.isArray(current) && typeof key === "number") return current[key];
    return isRecord(current) ? current[key] : undefined;
  }, value);

/** Returns the text at a path of object fields and array indexes; empty when there is none. */
export const textAt = (value: unknown, ...path: (string | number)[]): string => {
  const text = at(value, path);
  return typeof text === "string" ? text : "";
};

/** Returns the items of an array at a path; none when there is no array. */
export const listAt = (value: unknown, ...path: (string | number)[]): unknown[] => {
  const list = at(value, path);
  return Array.isArray(list) ? list : [];
};
