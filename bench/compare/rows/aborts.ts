import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cell, type Row, type Section, behavior } from "../row.js";
import { type Script, type Served, servedRow } from "../served.js";
import type { Sdk } from "../sdk.js";

const calls = 30;

/** A row about the signal that `use` gets. The calls of `stripe` accept none. */
const abortRow = (
  title: string,
  script: (sdk: Sdk) => readonly Script[],
  use: (served: Served, stop: AbortController) => Promise<Cell>,
): Row => {
  const { measure } = servedRow(title, script, (each) => use(each, new AbortController()));
  const none = behavior("cannot be aborted", 2);
  return { title, measure: (sdk) => (sdk.name === "stripe" ? none : measure(sdk)) };
};

/** Calls with the signal, and returns once the request has arrived. */
const startCall = async ({ sdk, client, requests }: Served, { signal }: AbortController) => {
  const failed = sdk.get(client, "p-1", { signal }).then(
    () => undefined,
    (error: unknown) => error,
  );
  while (requests.length === 0) await sleep(1);
  return { failed };
};

export const aborts: Section = {
  title: "When a caller gives up",
  about: "With an `AbortSignal` as an option of the call.",
  rows: [
    abortRow(
      "aborted while it waits to send a request again",
      (sdk) => [{ status: 503, headers: { "retry-after": "4" }, body: sdk.failure("unavailable") }],
      async (each, stop) => {
        const { failed } = await startCall(each, stop);
        let hasEnded = false;
        void failed.then(() => (hasEnded = true));
        // Lets the response arrive.
        await sleep(200);
        if (hasEnded) return behavior("does not wait", 0);
        stop.abort();
        const isAtOnce = await Promise.race([failed.then(() => true), sleep(2_000, false)]);
        await failed;
        return isAtOnce ? behavior("ends at once", 0) : behavior("ends after the wait", 1);
      },
    ),
    abortRow(
      "the reason of the abort",
      () => ["hang"],
      async (each, stop) => {
        const reason = new Error("The visitor left");
        const { failed } = await startCall(each, stop);
        stop.abort(reason);
        const error = await failed;
        if (error === reason) return behavior("is what the call throws", 0);
        if (error instanceof Error && error.cause === reason) return behavior("is the error's `cause`", 0);
        return behavior("is lost", 1);
      },
    ),
    abortRow(
      `listeners on a shared signal after ${String(calls)} calls`,
      (sdk) => [sdk.page(["p-0"])],
      async ({ sdk, client }, { signal }) => {
        let most = 0;
        for (let call = 0; call < calls; call += 1) {
          await sdk.list(client, { signal });
          most = Math.max(most, getEventListeners(signal, "abort").length);
        }
        // The listeners of fetch go when memory is collected, so their exact number depends on chance.
        return most === 0 ? behavior("none", 0) : behavior("stay until memory is collected", 1);
      },
    ),
  ],
};
