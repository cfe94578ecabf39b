import { setTimeout as sleep } from "node:timers/promises";
import { databaseFailed, waitTimedOut } from "../errors.js";
import type { Call, Send } from "./connect.js";

/** Polls grow from a tenth of a second to three. */
const firstPauseMs = 100;
const longestPauseMs = 3_000;
/** The last look gets this long, even when the time is over. */
const shortestCallMs = 5_000;

export interface Waiting {
  timeoutMs: number;
  signal: AbortSignal;
  /** Called with every status that is seen. */
  onStatus: (status: string) => void;
}

/** Waits until a database is ready. Throws when it fails, and when the time is over. */
export const waitUntilReady = async (send: Send, databaseId: string, waiting: Waiting): Promise<void> => {
  const { timeoutMs, signal, onStatus } = waiting;
  const end = performance.now() + timeoutMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
    const left = end - performance.now();
    const body = await send(look(databaseId), Math.max(left, shortestCallMs));
    const status = statusOf(body);
    onStatus(status);
    if (status === "ready") return;
    if (status === "failure") throw databaseFailed(databaseId);
    if (left <= 0) throw waitTimedOut(databaseId, status, timeoutMs / 1_000);
    await sleep(Math.min(pause, left), undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }
};

const look = (databaseId: string): Call => ({
  method: "GET",
  path: "/v1/databases/{databaseId}",
  pathParams: { databaseId },
});

const statusOf = (body: unknown): string => {
  const { data } = (body ?? {}) as { data?: { status?: unknown } };
  return typeof data?.status === "string" ? data.status : "unknown";
};
