import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../../runner/report.js";
import { type Row, type Section, amount, behavior } from "../row.js";
import { type Script, type Served, served, servedRow } from "../served.js";
import type { Sdk } from "../sdk.js";

/** Much longer than an SDK needs to fail, and much shorter than the wait that the service asks for. */
const patience = 5_000;

/** Returns what a call fails with. */
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error("The call did not fail");
    },
    (reason: unknown) => reason,
  );

const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

/** Creates something that must exist once. The service creates it at the first request, whose response gets lost. */
const creates = (title: string, lost: (sdk: Sdk) => Script): Row => ({
  title,
  measure: (sdk) => {
    const service = sdk.service();
    return served(
      sdk,
      async (request, index) => {
        const reply = await service.respond(request);
        return index === 0 ? lost(sdk) : reply;
      },
      async ({ client }) => {
        const ended = await sdk.createOnce(client).then(
          () => "",
          () => ", and the call fails",
        );
        const count = service.created();
        if (count > 1) return behavior(`creates ${String(count)}${ended}`, 2);
        return behavior(`creates one${ended}`, ended === "" ? 0 : 1);
      },
    );
  },
});

/** Returns the longest delay that a call asks for, as far as it is long enough for a deadline of a request. */
const defaultDeadline = async ({ sdk, client, requests }: Served): Promise<number | undefined> => {
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
    // Shorter ones are of other things, such as connecting.
    return delays.filter((delay) => delay >= 30_000).sort((one, other) => other - one)[0];
  } finally {
    globalThis.setTimeout = original;
  }
};

const twice503 = servedRow(
  "time of a test in which a list gets two 503s",
  (sdk) => {
    const unavailable = { status: 503, body: sdk.failure("unavailable") };
    // Three times, for a median.
    return Array.from({ length: 3 }, () => [unavailable, unavailable, sdk.page(["p-0"])]).flat();
  },
  async ({ sdk, client }) => {
    const retriedList = async (): Promise<number> => {
      const started = performance.now();
      await sdk.list(client);
      return performance.now() - started;
    };
    const times: number[] = [];
    try {
      for (let run = 0; run < 3; run += 1) times.push(await (sdk.withRetriedList ?? retriedList)());
    } catch {
      return behavior("fails", Number.MAX_SAFE_INTEGER);
    }
    return amount(Number(median(times).toPrecision(2)), "ms");
  },
);

export const failures: Section = {
  title: "When a request fails",
  about:
    "What each client does with its default options. A local server gives the responses. In the first two rows, it also creates what the " +
    "first request asks for, and recognizes repeated requests as the service does. There, the programs use what an SDK has for a " +
    "create that must happen once: [`ensure`](guides/ensure.md) of `@mgmt/sdk`, whose plain `create` is sent once and fails, and the " +
    "option `idempotencyKey` of `stripe` and `openai`. `stripe` sends a key with every create, and `openai` sends none. `@neon/sdk` sends " +
    "a `get` again, but not a list. In the last row, " +
    "the client of `@mgmt/sdk` has the clock of `@mgmt/mock`, which moves on as soon as the client waits. The others wait in real time, " +
    "as in a test without fake timers.",
  rows: [
    creates("a create that must happen once, and the response is 500", (sdk) => ({
      status: 500,
      body: sdk.failure("internal"),
    })),
    creates("a create that must happen once, and the response is lost", () => "end"),
    servedRow(
      "a 429",
      (sdk) => [
        { status: 429, headers: { "retry-after": "1" }, body: sdk.failure("rate_limit") },
        { body: sdk.created },
      ],
      async ({ sdk, client, requests }) => {
        await settled(sdk.get(client, "p-1"));
        return requests.length === 2 ? behavior("sent again", 0) : behavior("fails", 1);
      },
    ),
    servedRow(
      "a 429 with `Retry-After: 90`",
      (sdk) => [{ status: 429, headers: { "retry-after": "90" }, body: sdk.failure("rate_limit") }],
      async ({ sdk, client }) => {
        const stop = new AbortController();
        // `stripe` accepts no signal, and refuses to be given one.
        const call = settled(sdk.list(client, sdk.name === "stripe" ? undefined : { signal: stop.signal }));
        const ended = await Promise.race([call.then(() => true), sleep(patience, false, { ref: false })]);
        stop.abort();
        return ended ? behavior("fails at once", 0) : behavior("waits", 1);
      },
    ),
    servedRow(
      "a response to the first attempt that never comes",
      () => ["hang"],
      async (each) => {
        const milliseconds = await defaultDeadline(each);
        if (milliseconds === undefined) return behavior("has no deadline", 1);
        return behavior(`fails after ${String(milliseconds / 1000)} seconds`, 0);
      },
    ),
    servedRow(
      "a code that the SDK does not know, with status 409",
      (sdk) => [{ status: 409, body: sdk.failure("new:code") }],
      async ({ sdk, client }) => {
        const error = Object(await failureOf(sdk.get(client, "p-1")));
        const name = error instanceof Error ? `\`${error.constructor.name}\`` : "an object without a class";
        return sdk.codeOf(error) === "new:code"
          ? behavior(`${name}, with the code`, 0)
          : behavior(`${name}, whose body has the code`, 1);
      },
    ),
    { ...twice503, varies: true },
  ],
};
