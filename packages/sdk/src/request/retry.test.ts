import { afterEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  ConnectionError,
  type MgmtError,
  type RetryEvent,
  ProjectNotFoundError,
  RateLimitExceededError,
  TimeoutError,
  createClient,
} from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { immediatePauses } from "../../test/immediate-pauses.js";
import { json, startServer, thrown } from "../../test/server.js";

const project = { data: { id: "proj_1" } };

afterEach(() => void vi.restoreAllMocks());

/** Starts a server that returns these faults one after the other, and then succeeds. */
const failing = async (
  ...failures: (number | "drop" | { status: number; headers: Record<string, string> })[]
) => {
  const server = await startServer((_, response, count) => {
    const failure = failures[count - 1];
    if (failure === undefined) return json(response, 200, project);
    if (failure === "drop") return void response.destroy();
    const { status, headers = {} } = typeof failure === "number" ? { status: failure } : failure;
    json(
      response,
      status,
      { error: { code: status === 404 ? "project:not_found" : "x:y", message: "m" } },
      headers,
    );
  });
  return {
    ...server,
    client: createClient({
      baseUrl: server.baseUrl,
      token: false,
      transport: nodeTransport(),
      timers: immediatePauses,
    }),
  };
};

describe("a retry", () => {
  it.each([["drop"], [408], [429], [502], [503], [504]] as const)(
    "happens after %s for a GET",
    async (failure) => {
      const { client, seen } = await failing(failure);
      expect(await client.projects.get("proj_1")).toEqual(project.data);
      expect(seen).toHaveLength(2);
    },
  );

  it.each(["GET", "PUT", "PATCH", "DELETE", "POST"] as const)(
    "happens after 429 for a %s too",
    async (method) => {
      const { client, seen } = await failing(429);
      expect(await client.request({ method, path: "/v1/x" })).toEqual(project);
      expect(seen).toHaveLength(2);
    },
  );

  it.each(["PUT", "DELETE"] as const)("happens after a lost response for a %s", async (method) => {
    const { client, seen } = await failing("drop", 504);
    expect(await client.request({ method, path: "/v1/x" })).toEqual(project);
    expect(seen).toHaveLength(3);
  });

  it("pauses between zero and a bound that doubles from half a second to eight (full jitter)", async () => {
    const { client } = await failing(...Array<number>(20).fill(502));
    const drawn = vi.spyOn(Math, "random").mockReturnValue(0.01);
    const hundredths = (await thrown(client.me.get({ maxRetries: 6 }))) as MgmtError;
    drawn.mockReturnValue(0);
    const none = (await thrown(client.me.get({ maxRetries: 6 }))) as MgmtError;
    expect(hundredths.attempts?.map(({ pauseMs }) => pauseMs)).toEqual([0, 5, 10, 20, 40, 80, 80]);
    expect(none.attempts?.map(({ pauseMs }) => pauseMs)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it("is announced before its pause, with the attempts so far and without the query", async () => {
    const { client, baseUrl } = await failing({ status: 503, headers: { "retry-after": "0" } }, "drop");
    vi.spyOn(Math, "random").mockReturnValue(0.01);
    const seen: RetryEvent[] = [];
    const call = { method: "GET", path: "/v1/projects", query: { limit: 1 } } as const;
    await client.request(call, { onRetry: (retry) => seen.push(retry) });
    const attempt = { durationMs: expect.any(Number) };
    const first = { ...attempt, pauseMs: 0, status: 503 };
    const about = { method: "GET", url: `${baseUrl}/v1/projects` };
    expect(seen).toEqual([
      { ...about, attempts: [first], pauseMs: 5 },
      { ...about, attempts: [first, { ...attempt, pauseMs: 5, reason: expect.any(String) }], pauseMs: 10 },
    ]);
  });

  it("is not announced if the request is not sent again", async () => {
    const onRetry = vi.fn();
    const { client } = await failing(502, 502, 502, 400);
    await thrown(client.projects.create({}, { onRetry }));
    await thrown(client.me.get({ onRetry, maxRetries: 0 }));
    await thrown(client.me.get({ onRetry, maxRetries: 0 }));
    await thrown(client.me.get({ onRetry }));
    expect(onRetry).not.toHaveBeenCalled();
  });

  it("is not announced if the call was aborted while it waited for a response", async () => {
    const onRetry = vi.fn();
    const controller = new AbortController();
    const reason = new Error("stop");
    const { baseUrl } = await startServer(() => controller.abort(reason));
    const client = createClient({ baseUrl, token: "x", transport: nodeTransport() });
    expect(await thrown(client.me.get({ onRetry, signal: controller.signal }))).toBe(reason);
    // The call has ended before its transport has.
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(onRetry).not.toHaveBeenCalled();
  });

  it.each([
    [
      "throws",
      (problem: Error) => {
        throw problem;
      },
    ],
    ["rejects", (problem: Error) => Promise.reject(problem)],
    ["never ends", () => new Promise(() => undefined)],
  ])("happens also if its announcement %s, which is printed once", async (what, announce) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const { client, seen } = await failing(502, 502);
    const problem = new Error("stop");
    await client.me.get({ onRetry: () => announce(problem) });
    expect(seen).toHaveLength(3);
    const printed = [expect.stringContaining("onRetry"), problem];
    expect(warn.mock.calls).toEqual(what === "never ends" ? [] : [printed]);
  });

  it("sends a PATCH, which sets absolute values, with the same body", async () => {
    const { client, seen } = await failing(502, "drop");
    await client.projects.update("proj_1", { name: "shop" });
    expect(seen.map(({ body }) => body)).toEqual(Array(3).fill('{"name":"shop"}'));
  });

  it.each([[429], [{ status: 503, headers: { "retry-after": "0" } }]] as const)(
    "sends a POST that the service certainly did not process: %j",
    async (failure) => {
      const { client, seen } = await failing(failure);
      await client.projects.create();
      expect(seen).toHaveLength(2);
    },
  );

  it("fails when a GET meets 404", async () => {
    const { client } = await failing(502, 404);
    expect(await thrown(client.projects.get("p"))).toBeInstanceOf(ProjectNotFoundError);
  });

  it("sends a POST that no server received", async () => {
    const sent: string[] = [];
    const transport = nodeTransport();
    const { baseUrl } = await failing();
    const closed = "http://127.0.0.1:1";
    const client = createClient({
      baseUrl: closed,
      token: false,
      transport: {
        send: (request) => {
          sent.push(request.url);
          const url = sent.length === 1 ? request.url : request.url.replace(closed, baseUrl);
          return transport.send({ ...request, url });
        },
      },
    });
    expect(await client.projects.create()).toEqual(project.data);
    expect(sent).toHaveLength(2);
  });

  it("happens twice at most, unless the client or the call says otherwise", async () => {
    const { client, seen, baseUrl } = await failing(...Array<number>(20).fill(502));
    await thrown(client.me.get());
    expect(seen).toHaveLength(3);
    await thrown(client.me.get({ maxRetries: 0 }));
    expect(seen).toHaveLength(4);
    await thrown(createClient({ baseUrl, token: false, maxRetries: 1 }).me.get());
    expect(seen).toHaveLength(6);
  });
});

describe("a request that is not repeated", () => {
  it.each([["drop"], [500], [502], [503], [504], [408], [409]] as const)(
    "does not happen after %s for a POST",
    async (failure) => {
      const { client, seen } = await failing(failure);
      expect(await thrown(client.projects.create())).toHaveProperty("attempts.length", 1);
      expect(seen).toHaveLength(1);
    },
  );

  it.each([[400], [403], [404], [409], [413], [422], [500]] as const)(
    "does not happen after %s for any method",
    async (status) => {
      const { client, seen } = await failing(...Array<number>(3).fill(status));
      await thrown(client.projects.get("p"));
      await thrown(client.projects.update("p", {}));
      await thrown(client.projects.delete("p"));
      expect(seen).toHaveLength(3);
    },
  );
});

it("does not send a POST in lowercase again either", async () => {
  const { client, seen } = await failing(503);
  // JavaScript callers may write this; fetch sends it as a POST.
  const call = { method: "post" as "POST", path: "/v1/projects" };
  expect(await thrown(client.request(call))).toHaveProperty("attempts.length", 1);
  expect(seen).toHaveLength(1);
});

describe("Retry-After", () => {
  it("delays the retry, in seconds or until a date", async () => {
    const date = new Date(Date.now() + 1_500).toUTCString();
    for (const after of ["1", date]) {
      const { client } = await failing({ status: 429, headers: { "retry-after": after } });
      const { response } = await client.projects.get("proj_1").withResponse();
      expect(response.attempts.map(({ status }) => status)).toEqual([429, 200]);
      if (after === "1") expect(response.attempts[1]?.pauseMs).toBeGreaterThanOrEqual(1_000);
    }
  });

  it("ends the call at once with retryAfter when it exceeds the cap of a minute", async () => {
    const { client, seen } = await failing({ status: 429, headers: { "retry-after": "90" } });
    const error = await thrown(client.projects.get("p", { timeoutMs: 600_000 }));
    expect(error).toMatchObject({ status: 429, retryAfter: 90 });
    expect(seen).toHaveLength(1);
  });

  it("ends the call at once with the error, not a timeout, when it exceeds the deadline", async () => {
    const { client } = await failing({ status: 503, headers: { "retry-after": "30" } });
    const error = await thrown(client.projects.get("p", { timeoutMs: 5_000 }));
    expect(error).not.toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ status: 503, retryAfter: 30 });
  });

  it("is honored even if it is longer than timers can be", async () => {
    const month = 30 * 24 * 3_600;
    const limits = { timeoutMs: Infinity, maxRetryAfterMs: Infinity };
    const client = createClient({
      baseUrl: "https://x.test",
      token: false,
      transport: {
        send: () =>
          Promise.resolve({
            status: times.push(performance.now()) === 1 ? 429 : 200,
            headers: { "retry-after": String(month) },
            body: '{"data":{"id":"proj_1"}}',
          }),
      },
      ...limits,
    });
    const times: number[] = [];
    vi.useFakeTimers();
    try {
      const call = client.projects.get("proj_1");
      await vi.advanceTimersByTimeAsync(month * 1_000 + 1_000);
      expect(await call).toEqual(project.data);
    } finally {
      vi.useRealTimers();
    }
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(month * 1_000);
  });

  it("has a cap that the caller can set", async () => {
    const { client, seen } = await failing({ status: 429, headers: { "retry-after": "2" } });
    await thrown(client.projects.get("p", { maxRetryAfterMs: 1_000 }));
    expect(seen).toHaveLength(1);
  });
});

describe("a repeated DELETE that meets 404", () => {
  it.each([["drop"], [502], [503], [504]] as const)("succeeds after %s", async (failure) => {
    const { client, seen } = await failing(failure, 404);
    expect(await client.projects.delete("proj_1")).toBeUndefined();
    expect(seen).toHaveLength(2);
  });

  it("fails at once, or after an attempt that was certainly not processed", async () => {
    expect(await thrown((await failing(404)).client.projects.delete("p"))).toBeInstanceOf(
      ProjectNotFoundError,
    );
    for (const unprocessed of [429, { status: 503, headers: { "retry-after": "0" } }]) {
      const { client } = await failing(unprocessed, 404);
      expect(await thrown(client.projects.delete("p"))).toBeInstanceOf(ProjectNotFoundError);
    }
  });

  it.each([
    [404, "route:not_found"],
    [409, "project:not_found"],
  ])("fails if the response is %s with the code %s", async (status, code) => {
    const { baseUrl } = await startServer((_, response, count) => {
      if (count === 1) return void response.destroy();
      json(response, status, { error: { code, message: "m" } });
    });
    expect(await thrown(createClient({ baseUrl, token: false }).projects.delete("p"))).toMatchObject({
      status,
      code,
    });
  });

  it("fails if the 404 comes from a proxy", async () => {
    const { baseUrl } = await startServer((_, response, count) => {
      if (count === 1) return void response.destroy();
      response.writeHead(404, { "content-type": "text/html" }).end("<html>");
    });
    expect(await thrown(createClient({ baseUrl, token: false }).projects.delete("p"))).toMatchObject({
      code: "http:404",
    });
  });
});

describe("an abort", () => {
  it("ends a pause between retries at once, with the caller's reason", async () => {
    const { baseUrl, seen } = await failing({ status: 429, headers: { "retry-after": "30" } });
    const client = createClient({ baseUrl, token: false, transport: nodeTransport() });
    const controller = new AbortController();
    const onRetry = () => void setImmediate(() => controller.abort("enough"));
    const call = thrown(client.projects.get("p", { signal: controller.signal, onRetry }));
    expect(await call).toMatchObject({ name: "AbortError", cause: "enough" });
    expect(seen).toHaveLength(1);
  });
});

describe("the list of attempts", () => {
  it("appears on the error: pauses, durations, statuses and reasons", async () => {
    const { client } = await failing("drop", 502, 504);
    const error = (await thrown(client.projects.get("p"))) as MgmtError;
    expect(error).toBeInstanceOf(ApiError);
    expect(error.attempts).toEqual([
      { pauseMs: 0, durationMs: expect.any(Number), reason: "ECONNRESET" },
      { pauseMs: expect.any(Number), durationMs: expect.any(Number), status: 502 },
      { pauseMs: expect.any(Number), durationMs: expect.any(Number), status: 504 },
    ]);
    expect(JSON.stringify(error)).toContain('"attempts":[{');
  });

  it("appears on a timeout, with the attempt in progress", async () => {
    const { baseUrl } = await startServer((_, response, count) => {
      if (count === 1) response.destroy();
    });
    vi.spyOn(Math, "random").mockReturnValue(0);
    const error = (await thrown(
      createClient({ baseUrl, token: false, timeoutMs: 2_500 }).me.get(),
    )) as MgmtError;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.attempts).toHaveLength(2);
    expect(error.attempts?.[1]).not.toHaveProperty("status");
  });

  it("is absent when nothing was sent", async () => {
    const { client } = await failing();
    expect(await thrown(client.projects.get(".."))).not.toHaveProperty("attempts");
  });

  it("includes the caller in the stack", async () => {
    const { client } = await failing(...Array<number>(20).fill(404));
    const callers = {
      getting: async () => void (await client.projects.get("p")),
      listing: async () => void (await client.projects.list()),
      walking: async () => void (await client.projects.list().toArray()),
      answering: async () => void (await client.projects.get("p").withResponse()),
      waiting: async () => void (await client.databases.waitUntilReady("db_1")),
      ensuring: async () => void (await client.projects.ensure({ name: "shop", logicalId: "shop" })),
      mistaking: async () => void (await client.projects.get("")),
      finding: async () => void (await client.request({ method: "GET", path: "/v1/projects" })),
    };
    for (const [name, call] of Object.entries(callers)) {
      expect(((await thrown(call())) as Error).stack).toMatch(new RegExp(`^\\w+Error: .*\\n.*${name}`, "s"));
    }
    const silent = { send: () => new Promise<never>(() => undefined) };
    const timingOut = async () => void (await client.projects.get("p", { timeoutMs: 5, transport: silent }));
    expect(((await thrown(timingOut())) as Error).stack).toMatch(/^TimeoutError: .*timingOut/s);
    const options = { timeoutMs: 5, transport: silent };
    const waitingLong = async () => void (await client.databases.waitUntilReady("db_1", options));
    expect(((await thrown(waitingLong())) as Error).stack).toMatch(/^WaitTimeoutError: .*waitingLong/s);
    const ensuringLong = async () => void (await client.projects.ensure({ logicalId: "x" }, options));
    expect(((await thrown(ensuringLong())) as Error).stack).toMatch(/^TimeoutError: .*ensuringLong/s);
  });
});

it("refuses an invalid limit", async () => {
  for (const options of [{ maxRetries: -1 }, { maxRetries: Number.NaN }, { maxRetryAfterMs: -5 }]) {
    const name = Object.keys(options)[0];
    expect(() => createClient({ baseUrl: "https://x.test", token: false, ...options })).toThrowError(
      `${name} must be`,
    );
    const call = createClient({ baseUrl: "https://x.test", token: false }).me.get(options);
    expect(await thrown(call)).toMatchObject({ code: "argument:invalid", argument: name });
  }
});

it("reports a rate limit as its own error", async () => {
  const { baseUrl } = await startServer((_, response) =>
    json(response, 429, { error: { code: "rate_limit:exceeded", message: "m" } }, { "retry-after": "90" }),
  );
  expect(await thrown(createClient({ baseUrl, token: false }).projects.create())).toBeInstanceOf(
    RateLimitExceededError,
  );
});
