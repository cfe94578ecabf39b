import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type Section, behavior } from "../row.js";
import { withServer } from "../scripted-server.js";
import type { Sdk } from "../sdk.js";

const token = "a-good-token";
const none = behavior("cannot be aborted", 2);
const calls = 30;

/** Whether calls of an SDK accept a signal. */
const hasSignals = ({ name }: Sdk): boolean => name !== "stripe";

export const aborts: Section = {
  title: "When a caller gives up",
  about: "With an `AbortSignal` as an option of the call.",
  rows: [
    {
      title: "aborted while it waits to send a request again",
      measure: (sdk) =>
        withServer(
          () => [{ status: 503, headers: { "retry-after": "4" }, body: sdk.failure("unavailable") }],
          async ({ baseUrl, requests }) => {
            if (!hasSignals(sdk)) return none;
            const stop = new AbortController();
            const call = sdk.list(sdk.client(baseUrl, token), { signal: stop.signal });
            const ended = call.then(
              () => true,
              () => true,
            );
            while (requests.length === 0) await sleep(1);
            // Lets the response arrive.
            await sleep(200);
            stop.abort();
            const isAtOnce = await Promise.race([ended, sleep(2_000, false)]);
            await ended;
            return isAtOnce ? behavior("ends at once", 0) : behavior("ends after the wait", 1);
          },
        ),
    },
    {
      title: "the reason of the abort",
      measure: (sdk) =>
        withServer(
          () => ["hang"],
          async ({ baseUrl, requests }) => {
            if (!hasSignals(sdk)) return none;
            const stop = new AbortController();
            const reason = new Error("The visitor left");
            const call = sdk.list(sdk.client(baseUrl, token), { signal: stop.signal });
            const failed = call.then(
              () => undefined,
              (error: unknown) => error,
            );
            while (requests.length === 0) await sleep(1);
            stop.abort(reason);
            const error = await failed;
            if (error === reason) return behavior("is what the call throws", 0);
            if (error instanceof Error && error.cause === reason)
              return behavior("is the error's `cause`", 0);
            return behavior("is lost", 1);
          },
        ),
    },
    {
      title: `listeners on a shared signal after ${String(calls)} calls`,
      measure: (sdk) =>
        withServer(
          (baseUrl) => [sdk.page(["p-0"], undefined, baseUrl)],
          async ({ baseUrl }) => {
            if (!hasSignals(sdk)) return none;
            const { signal } = new AbortController();
            const client = sdk.client(baseUrl, token);
            let most = 0;
            for (let call = 0; call < calls; call += 1) {
              await sdk.list(client, { signal });
              most = Math.max(most, getEventListeners(signal, "abort").length);
            }
            // The listeners of fetch go when memory is collected, so their exact number depends on chance.
            return most === 0 ? behavior("none", 0) : behavior("stay until memory is collected", 1);
          },
        ),
    },
  ],
};
