import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../../runner/rounds.js";
import { type Cell, type Row, type Section, amount, behavior } from "../row.js";
import { type Script, withResponses, withServer } from "../scripted-server.js";
import type { Sdk } from "../sdk.js";

const token = "a-good-token";
/** Much longer than an SDK needs to fail, and much shorter than the wait that the service asks for. */
const patience = 5_000;

const settled = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => error);

/** Creates something that must exist once. The service creates it at the first request, whose response gets lost. */
const createOnce = (sdk: Sdk, lost: Script): Promise<Cell> => {
  const service = sdk.service();
  return withResponses(
    async (request, index) => {
      const reply = await service.respond(request);
      return index === 0 ? lost : reply;
    },
    async ({ baseUrl }) => {
      const ended = await sdk.createOnce(sdk.client(baseUrl, token)).then(
        () => "",
        () => ", and the call fails",
      );
      const count = service.created();
      if (count > 1) return behavior(`creates ${String(count)}${ended}`, 2);
      return behavior(`creates one${ended}`, ended === "" ? 0 : 1);
    },
  );
};

const creates = (title: string, lost: (sdk: Sdk) => Script): Row => ({
  title,
  measure: (sdk) => createOnce(sdk, lost(sdk)),
});

const defaultDeadline = (sdk: Sdk): Promise<number | undefined> =>
  withServer(
    () => ["hang"],
    async ({ baseUrl, requests }) => {
      const client = sdk.client(baseUrl, token);
      if (sdk.deadline) return sdk.deadline(client);
      const { setTimeout: original } = globalThis;
      const delays: number[] = [];
      // Same signature: it only writes down the delays.
      globalThis.setTimeout = ((...parameters: Parameters<typeof original>) => {
        delays.push(parameters[1] ?? 0);
        return original(...parameters);
      }) as typeof original;
      const stop = new AbortController();
      try {
        const call = settled(sdk.list(client, { signal: stop.signal }));
        while (requests.length === 0) await sleep(1);
        stop.abort();
        await call;
        const longest = Math.max(0, ...delays);
        // Shorter ones are of other things, such as connecting.
        return longest >= 30_000 ? longest : undefined;
      } finally {
        globalThis.setTimeout = original;
      }
    },
  );

export const failures: Section = {
  title: "When a request fails",
  about:
    "What each client does with its default options. A local server gives the responses. In the first two rows, it also creates what the " +
    "first request asks for, and recognizes repeated requests as the service does. There, the programs use what an SDK has for a " +
    "create that must happen once: [`ensure`](guides/ensure.md) of `@mgmt/sdk`, whose plain `create` is sent once and fails, and the " +
    "option `idempotencyKey` of `stripe` and `openai`. `stripe` sends a key with every create, and `openai` sends none. In the last row, " +
    "the client of `@mgmt/sdk` has the clock of `@mgmt/mock`, which moves on as soon as the client waits. The others wait in real time, " +
    "as in a test without fake timers.",
  rows: [
    creates("a create that must happen once, and the response is 500", (sdk) => ({
      status: 500,
      body: sdk.failure("internal"),
    })),
    creates("a create that must happen once, and the response is lost", () => "end"),
    {
      title: "a 429",
      measure: (sdk) =>
        withServer(
          () => [
            { status: 429, headers: { "retry-after": "1" }, body: sdk.failure("rate_limit") },
            { body: sdk.page([], undefined, "").body },
          ],
          async ({ baseUrl, requests }) => {
            await settled(sdk.list(sdk.client(baseUrl, token)));
            return requests.length === 2 ? behavior("sent again", 0) : behavior("fails", 1);
          },
        ),
    },
    {
      title: "a 429 with `Retry-After: 90`",
      measure: (sdk) =>
        withServer(
          () => [{ status: 429, headers: { "retry-after": "90" }, body: sdk.failure("rate_limit") }],
          async ({ baseUrl }) => {
            const stop = new AbortController();
            const call = settled(sdk.list(sdk.client(baseUrl, token), signalOf(sdk, stop)));
            const ended = await Promise.race([call.then(() => true), sleep(patience, false, { ref: false })]);
            stop.abort();
            return ended ? behavior("fails at once", 0) : behavior("waits", 1);
          },
        ),
    },
    {
      title: "a response to the first attempt that never comes",
      measure: async (sdk) => {
        const milliseconds = await defaultDeadline(sdk);
        return milliseconds === undefined
          ? behavior("waits forever", 1)
          : behavior(`fails after ${String(milliseconds / 1000)} seconds`, 0);
      },
    },
    {
      title: "a code that the SDK does not know, with status 409",
      measure: (sdk) =>
        withServer(
          () => [{ status: 409, body: sdk.failure("new:code") }],
          async ({ baseUrl }) => {
            const error = await settled(sdk.get(sdk.client(baseUrl, token), "p-1"));
            if (!(error instanceof Error)) throw new Error("The call did not fail");
            return sdk.codeOf(error) === "new:code"
              ? behavior(`\`${error.constructor.name}\`, with the code`, 0)
              : behavior(`\`${error.constructor.name}\`, whose body has the code`, 1);
          },
        ),
    },
    {
      title: "time of a test in which a list gets two 503s",
      varies: true,
      measure: async (sdk) => {
        const times: number[] = [];
        for (let run = 0; run < 3; run += 1) {
          times.push((await sdk.withRetriedList?.()) ?? (await retriedList(sdk)));
        }
        return amount(Number(median(times).toPrecision(2)), "ms");
      },
    },
  ],
};

/** Returns the options for a signal. `stripe` accepts none, and refuses to be given one. */
const signalOf = ({ name }: Sdk, { signal }: AbortController): object | undefined =>
  name === "stripe" ? undefined : { signal };

const retriedList = (sdk: Sdk): Promise<number> =>
  withServer(
    (baseUrl) => {
      const unavailable = { status: 503, body: sdk.failure("unavailable") };
      return [unavailable, unavailable, sdk.page(["p-0"], undefined, baseUrl)];
    },
    async ({ baseUrl }) => {
      const started = performance.now();
      await sdk.list(sdk.client(baseUrl, token));
      return performance.now() - started;
    },
  );
