import { within } from "./machine-time.js";
import { Hang } from "./violation.js";

/** The answer of the API or of the control surface. */
export interface Answer {
  status: number;
  /** The parsed body; its fields are those of the contract. */
  body: Record<string, unknown>;
  /** Whether the client may repeat the request, because nothing was done. */
  hasRetryAfter: boolean;
}

/** The longest time that a request may take, in milliseconds. Only a defect exceeds it. */
const deadline = 30_000;

/**
 * Sends a request.
 *
 * @throws Hang when no response arrives before the deadline; TypeError when the connection cannot be made, or is cut.
 */
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
  try {
    return await within(
      deadline,
      receive(),
      () => new Hang(`${method} ${new URL(url).pathname} has no response after ${String(deadline)} ms`),
    );
  } finally {
    ending.abort();
  }
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
