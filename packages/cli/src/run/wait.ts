import { databaseFailed, waitTimedOut } from "../errors.js";
import { isObject, valueAt } from "../value-at.js";
import type { Call, Send } from "./connect.js";
import type { Context } from "./context.js";

/** Polls grow from a tenth of a second to three. */
const firstPauseMs = 100;
const longestPauseMs = 3_000;
/** The last look gets this long, even when the time is over. */
const shortestCallMs = 5_000;

/**
 * Waits until the database that an answer holds at `place` (dotted; empty: the answer itself) is ready, and keeps the
 * answer's status up to date. Answers what went wrong rather than throwing it: the answer must be printed all the same.
 */
export const waitForDatabase = async (
  answer: object,
  place: string,
  timeoutMs: number,
  send: Send,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<{ error: unknown } | undefined> => {
  const database = valueAt(answer, place === "" ? [] : place.split("."));
  if (!isObject(database) || typeof database["id"] !== "string") {
    output.say("No database was made: there is nothing to wait for.");
    return undefined;
  }
  const { id } = database;
  if (database["status"] === "ready") return undefined;
  output.say(`Database ${id} is ${String(database["status"])}; waiting until it is ready.`);
  const onStatus = (status: string): void => {
    if (status !== database["status"]) output.say(`Database ${id} is ${status}.`);
    database["status"] = status;
  };
  try {
    await poll(id, timeoutMs, send, signal, onStatus);
    return undefined;
  } catch (error) {
    return { error };
  }
};

const poll = async (
  id: string,
  timeoutMs: number,
  send: Send,
  signal: AbortSignal,
  onStatus: (status: string) => void,
): Promise<void> => {
  const end = performance.now() + timeoutMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
    const left = end - performance.now();
    const status = valueAt(await send(look(id), Math.max(left, shortestCallMs)), ["data", "status"]);
    if (typeof status === "string") onStatus(status);
    if (status === "ready") return;
    if (status === "failure") throw databaseFailed(id);
    if (left <= 0) throw waitTimedOut(id, String(status), timeoutMs / 1_000);
    await sleep(Math.min(pause, left), signal);
  }
};

const look = (databaseId: string): Call => ({
  method: "GET",
  path: "/v1/databases/{databaseId}",
  pathParams: { databaseId },
});

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      // Whoever aborts gives an error as the reason.
      reject(signal.reason as Error);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
