import { describe, expect, it, vi } from "vitest";
import { type Database, type MgmtClient, type WaitOptions, WaitTimeoutError, createClient } from "@mgmt/sdk";
import { thrown } from "../server.js";

/** A client whose database is ready at its fifth poll; the second is refused until a minute has passed. */
const polled = (): { client: MgmtClient; polls: () => number } => {
  let polls = 0;
  const fetch = async (): Promise<Response> => {
    polls += 1;
    if (polls === 2) return Response.json({}, { status: 503, headers: { "retry-after": "30" } });
    return Response.json({ data: { id: "db_1", status: polls < 5 ? "provisioning" : "ready" } });
  };
  return { client: createClient({ baseUrl: "https://x.test", token: false, fetch }), polls: () => polls };
};

describe("the pauses of a wait", () => {
  it("are of pollIntervalMs, or of a longer Retry-After, and are made by sleep", async () => {
    const { client, polls } = polled();
    const pauses: number[] = [];
    const sleep = async (ms: number): Promise<number> => pauses.push(ms);
    const ready = await client.databases.waitUntilReady("db_1", { pollIntervalMs: 1_234, sleep });
    expect(ready.status).toBe("ready");
    expect(pauses).toEqual([1_234, 30_000, 1_234, 1_234]);
    expect(polls()).toBe(5);
  });

  it("grow at random without pollIntervalMs", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    try {
      const { client } = polled();
      const pauses: number[] = [];
      await client.databases.waitUntilReady("db_1", { sleep: (ms) => pauses.push(ms) });
      expect(pauses.map(Math.round)).toEqual([200, 30_000, 450, 675]);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it("end with the error of sleep, the reason of the signal, and the deadline", async () => {
    const failing = { sleep: () => Promise.reject(new RangeError("mine")) };
    expect(await thrown(polled().client.databases.waitUntilReady("db_1", failing))).toBeInstanceOf(
      RangeError,
    );

    const controller = new AbortController();
    const reason = new RangeError("stopped");
    const aborting = polled();
    const options = { signal: controller.signal, sleep: () => controller.abort(reason) };
    expect(await thrown(aborting.client.databases.waitUntilReady("db_1", options))).toBe(reason);
    expect(aborting.polls()).toBe(1);

    let signal: AbortSignal | undefined;
    const endless = (_ms: number, given: AbortSignal): Promise<never> => {
      signal = given;
      return new Promise(() => undefined);
    };
    const late = polled().client.databases.waitUntilReady("db_1", { timeoutMs: 30, sleep: endless });
    expect(await thrown(late)).toBeInstanceOf(WaitTimeoutError);
    expect(signal?.aborted).toBe(true);
  });

  it.each([
    [{ pollIntervalMs: 0 }, "pollIntervalMs must be a number above 0"],
    [{ pollIntervalMs: -5 }, "pollIntervalMs must be a number above 0"],
    [{ pollIntervalMs: NaN }, "pollIntervalMs must be a number above 0"],
    [{ pollIntervalMs: "5" }, "pollIntervalMs must be a number above 0"],
    [{ sleep: 5 }, "sleep must be a function"],
    [{ interval: 5 }, "interval is not an option of a wait; did you mean pollIntervalMs?"],
  ])("are refused before the first poll: %j", async (options, message) => {
    const { client, polls } = polled();
    // JavaScript callers can pass anything.
    const wait = client.databases.waitUntilReady("db_1", options as WaitOptions<Database>);
    expect(await thrown(wait)).toMatchObject({ code: "argument:invalid", message });
    expect(polls()).toBe(0);
  });
});

describe("onProgress", () => {
  it("may return anything", async () => {
    const seen: string[] = [];
    await polled().client.databases.waitUntilReady("db_1", {
      sleep: () => undefined,
      onProgress: ({ status }) => seen.push(status),
    });
    expect(seen).toEqual(["provisioning", "provisioning", "provisioning", "ready"]);
  });
});
