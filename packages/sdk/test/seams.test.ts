import { tracingChannel } from "node:diagnostics_channel";
import { describe, expect, it } from "vitest";
import {
  ApiError,
  ApiPromise,
  type Attempt,
  ConflictError,
  ConnectionError,
  InvalidArgumentError,
  type Middleware,
  type MgmtError,
  type Next,
  type OutgoingRequest,
  createClient,
  createPartialClient,
  isApiError,
  ProjectsResource,
  registerApiError,
  safely,
} from "@mgmt/sdk";
import { json, startServer, thrown } from "./server.js";

const answering = (body: unknown = { data: { id: "proj_1" } }, status = 200, headers = {}) =>
  startServer((_, response) => json(response, status, body, headers));

describe("a middleware", () => {
  it("runs around every request, the first outermost, the call's own innermost", async () => {
    const { baseUrl } = await answering();
    const order: string[] = [];
    const named =
      (name: string): Middleware =>
      async (request, next) => {
        order.push(`${name} >`);
        const answer = await next(request);
        order.push(`< ${name}`);
        return answer;
      };
    const client = createClient({ baseUrl, middleware: [named("a"), named("b")] });
    await client.projects.get("proj_1", { middleware: [named("c")] });
    expect(order).toEqual(["a >", "b >", "c >", "< c", "< b", "< a"]);
  });

  it("may stand alone in place of a list, in JavaScript, and must be a function", async () => {
    const { baseUrl, seen } = await answering();
    const client = (middleware: unknown) =>
      createClient({ baseUrl, middleware: middleware as readonly Middleware[] });
    const marking: Middleware = (request, next) =>
      next({ ...request, headers: { ...request.headers, "x-mark": "1" } });
    await client(marking).projects.get("proj_1");
    expect(seen[0]?.headers).toMatchObject({ "x-mark": "1" });
    expect(await thrown(client("marking").projects.get("proj_1"))).toMatchObject({ argument: "middleware" });
    expect(seen).toHaveLength(1);
  });

  it("runs again for every retry, and is told which it is", async () => {
    const { baseUrl } = await startServer((_, response, count) =>
      count < 3 ? json(response, 502, {}) : json(response, 200, { data: { id: "p" } }),
    );
    const seen: [string, number][] = [];
    const middleware: Middleware[] = [
      (request, next) => {
        seen.push([request.path, request.attempt]);
        return next(request);
      },
    ];
    await createClient({ baseUrl, middleware }).projects.get("proj_1");
    expect(seen).toEqual([1, 2, 3].map((attempt) => ["/v1/projects/{id}", attempt]));
  });

  it("may change the request and the answer, and answer in place of the service", async () => {
    const { baseUrl, seen } = await answering();
    const client = createClient({
      baseUrl,
      middleware: [
        async (request, next) => {
          if (request.method === "DELETE") return { status: 204, headers: {}, body: "" };
          const answer = await next({
            ...request,
            headers: { ...request.headers, traceparent: "00-1-2-01" },
          });
          return { ...answer, body: answer.body.replace("proj_1", "proj_2") };
        },
      ],
    });
    expect(await client.projects.get("proj_1")).toEqual({ id: "proj_2" });
    expect(seen[0]?.headers).toMatchObject({ traceparent: "00-1-2-01" });
    await client.projects.delete("proj_1");
    expect(seen).toHaveLength(1);
  });

  it("sees the credential, the deadline's signal, and a ConnectionError when no answer came", async () => {
    const seen: unknown[] = [];
    const client = createClient({
      baseUrl: "http://127.0.0.1:1",
      token: "secret",
      maxRetries: 0,
      transport: { send: () => Promise.reject(new TypeError("gone")) },
      middleware: [
        async (request, next) => {
          seen.push(request.headers["authorization"], request.signal.aborted);
          try {
            return await next(request);
          } catch (error) {
            seen.push(error);
            throw error;
          }
        },
      ],
    });
    await thrown(client.me.get());
    expect(seen).toEqual(["Bearer secret", false, expect.any(ConnectionError)]);
  });

  it("that throws ends the call with what it threw, at once", async () => {
    const { baseUrl, seen } = await answering();
    const broken: Middleware = () => Promise.reject(new RangeError("mine"));
    const client = createClient({ baseUrl, middleware: [broken] });
    expect(await thrown(client.me.get())).toBeInstanceOf(RangeError);
    expect(seen).toEqual([]);
  });

  it.each([
    ["returns nothing", async (request: OutgoingRequest, next: Next) => void (await next(request))],
    ["returns no answer", () => Promise.resolve({ status: 200 })],
    ["forgets the request", (_: OutgoingRequest, next: () => unknown) => next()],
    ["is none", "timing"],
  ])("that %s is refused by its name", async (_, broken) => {
    const { baseUrl } = await answering();
    // What a program written in JavaScript may hand over.
    const client = createClient({ baseUrl, middleware: [broken as unknown as Middleware] });
    const error = await thrown(client.me.get());
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument: "middleware", hint: expect.stringContaining("next(request)") });
  });
});

describe("tracing events (openai-node #1563, #1819)", () => {
  it("tell of a call and its requests, never of a credential or a value", async () => {
    const { baseUrl } = await startServer((_, response, count) =>
      count === 1 ? void response.destroy() : json(response, 200, { data: { id: "p", pass: "hunter2" } }),
    );
    const events: { name: string; context: object }[] = [];
    const listen = (channel: "call" | "attempt") => {
      const tracing = tracingChannel(`@mgmt/sdk:${channel}`);
      const on = (phase: string) => (context: object) =>
        void events.push({ name: `${channel} ${phase}`, context });
      const handlers = {
        start: on("start"),
        end: on("end"),
        asyncStart: on("settled"),
        asyncEnd: on("done"),
        error: on("error"),
      };
      tracing.subscribe(handlers);
      return () => tracing.unsubscribe(handlers);
    };
    const release = [listen("call"), listen("attempt")];
    const client = createClient({ baseUrl, token: "hunter3" });
    const found = await client.projects.get("proj_1");
    for (const each of release) each();
    expect(found).toMatchObject({ id: "p" });
    const names = events
      .map(({ name }) => name)
      .filter((name) => !name.endsWith("end") && !name.endsWith("done"));
    expect(names).toEqual([
      "call start",
      "attempt start",
      "attempt error",
      "attempt settled",
      "attempt start",
      "attempt settled",
      "call settled",
    ]);
    expect(events[0]?.context).toMatchObject({
      method: "GET",
      path: "/v1/projects/{id}",
      attempts: [{ reason: expect.any(String) }, { status: 200 }],
    });
    expect(JSON.stringify(events)).not.toMatch(/hunter/);
  });

  it("know the status of an answer when its request ends", async () => {
    const { baseUrl } = await startServer((_, response, count) =>
      count === 1 ? json(response, 502, {}) : json(response, 200, { data: { id: "p" } }),
    );
    const statuses: unknown[] = [];
    const tracing = tracingChannel<unknown, { attempt: Attempt }>("@mgmt/sdk:attempt");
    const handlers = { asyncEnd: ({ attempt }: { attempt: Attempt }) => void statuses.push(attempt.status) };
    const quiet = { start: noop, end: noop, asyncStart: noop, error: noop, ...handlers };
    tracing.subscribe(quiet);
    await createClient({ baseUrl }).projects.get("proj_1");
    tracing.unsubscribe(quiet);
    expect(statuses).toEqual([502, 200]);
  });

  it("carry the error of a call that fails", async () => {
    const { baseUrl } = await answering({}, 500);
    const errors: unknown[] = [];
    const tracing = tracingChannel<unknown, { error: unknown }>("@mgmt/sdk:call");
    const handlers = { error: ({ error }: { error: unknown }) => void errors.push(error) };
    const quiet = { start: noop, end: noop, asyncStart: noop, asyncEnd: noop, ...handlers };
    tracing.subscribe(quiet);
    const error = await thrown(createClient({ baseUrl }).me.get());
    tracing.unsubscribe(quiet);
    expect(errors).toEqual([error]);
  });
});

const noop = (): void => undefined;

describe("debug", () => {
  it("prints requests and answers, with no token, password or connection string (OpenAI's debug log prints a database's password)", async () => {
    const secrets = ["hunter1", "hunter2", "hunter3", "hunter4", "hunter5", "hunter6"];
    const { baseUrl } = await answering(
      {
        data: {
          id: "proj_1",
          connectionString: "postgres://user:hunter2@db.test/app",
          note: "see postgres://user:hunter3@db.test/app",
          directConnection: { pass: "hunter4", user: "u" },
          envVars: { SOMETHING: "hunter5" },
          valueHint: "abcd",
          value: "hunter6",
        },
      },
      200,
      { "set-cookie": "session=hunter1" },
    );
    const lines: string[] = [];
    const client = createClient({ baseUrl, token: "hunter1", debug: (line) => void lines.push(line) });
    await client.request({
      method: "POST",
      path: "/v1/x",
      query: { token: "hunter2" },
      body: { password: "hunter3", name: "shop" },
    });
    const text = lines.join("\n");
    expect(lines).toHaveLength(2);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).toContain('"name":"shop"');
    expect(text).toContain('"valueHint":"abcd"');
    expect(text).toContain("200");
  });

  it("prints what failed, and bodies that are no JSON by their length only", async () => {
    const { baseUrl } = await startServer((_, response, count) => {
      if (count === 1) return void response.destroy();
      response.writeHead(502, { "content-type": "text/html" }).end("<html>hunter2</html>");
    });
    const lines: string[] = [];
    await thrown(createClient({ baseUrl, maxRetries: 1 }).me.get({ debug: (line) => void lines.push(line) }));
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/× GET .*\/v1\/me #1 connection:failed/);
    expect(lines[3]).toContain("20 characters that are no JSON");
    expect(lines.join("")).not.toContain("hunter2");
  });
});

describe("withResponse", () => {
  it("gives the value with status, headers, request id and attempts", async () => {
    const { baseUrl } = await answering();
    const call = createClient({ baseUrl }).projects.get("proj_1");
    expect(call).toBeInstanceOf(ApiPromise);
    expect(call).toBeInstanceOf(Promise);
    const { data, response } = await call.withResponse();
    expect(data).toEqual(await call);
    expect(response).toMatchObject({ status: 200, requestId: "req_1", attempts: [{ status: 200 }] });
    expect(response.headers["content-type"]).toBe("application/json");
  });

  it("of a list is that of its first page", async () => {
    const { baseUrl, seen } = await answering({ data: [], pagination: { hasMore: false, nextCursor: null } });
    const list = createClient({ baseUrl }).projects.list();
    const { data, response } = await list.withResponse();
    expect(data).toEqual(await list);
    expect(response.status).toBe(200);
    expect(seen).toHaveLength(1);
  });

  it("that fails throws the call's error, and leaves no rejection unhandled", async () => {
    const { baseUrl } = await answering({}, 404);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const error = await thrown(createClient({ baseUrl }).projects.get("p").withResponse());
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("unhandledRejection", note);
    expect(error).toBeInstanceOf(ApiError);
    expect(unhandled).toEqual([]);
  });
});

describe("safe", () => {
  it("answers the value or the error, for methods at every depth and for lists", async () => {
    const { baseUrl } = await startServer((request, response) => {
      if (request.url.includes("bad"))
        return json(response, 404, { error: { code: "project:not_found", message: "m" } });
      const page = { data: [{ id: "a" }], pagination: { hasMore: false, nextCursor: null } };
      json(
        response,
        200,
        request.url.includes("proj_1") && !request.url.includes("branches")
          ? { data: { id: "proj_1" } }
          : page,
      );
    });
    const { safe } = createClient({ baseUrl });
    expect(await safe.projects.get("proj_1")).toEqual({ data: { id: "proj_1" }, error: undefined });
    expect((await safe.projects.branches.list("proj_1")).data?.data).toEqual([{ id: "a" }]);
    const { data, error } = await safe.projects.get("bad");
    expect(data).toBeUndefined();
    expect(isApiError(error, "project:not_found")).toBe(true);
    expect((await safe.projects.get("..")).error?.code).toBe("argument:invalid");
  });

  it("throws the caller's own reason all the same", async () => {
    const { baseUrl } = await answering();
    const signal = AbortSignal.abort("enough");
    expect(await thrown(createClient({ baseUrl }).safe.me.get({ signal }))).toBe("enough");
  });

  it("works on a partial client and on one resource", async () => {
    const { baseUrl } = await answering({}, 409);
    const partial = createPartialClient({ projects: ProjectsResource }, { baseUrl });
    expect((await safely(partial).projects.create()).error).toBeInstanceOf(ConflictError);
    expect((await safely(partial.projects).create()).error).toBeInstanceOf(ConflictError);
  });
});

describe("the registry of codes", () => {
  class QuotaExceededError extends ApiError {
    static override readonly kind = "quota:exceeded";
    static override readonly status = 409;
    static override readonly fields = ["quota"];
    declare readonly quota: number;
  }

  it("makes errors of an unknown code what the program says they are", async () => {
    const body = { error: { code: "quota:exceeded", message: "Too many.", quota: 7 } };
    const before = await thrown(createClient({ baseUrl: (await answering(body, 409)).baseUrl }).me.get());
    expect(before).toMatchObject({ name: "ConflictError", code: "quota:exceeded" });
    registerApiError(QuotaExceededError);
    const { baseUrl } = await answering(body, 409);
    const error = await thrown(createClient({ baseUrl }).me.get());
    expect(error).toBeInstanceOf(QuotaExceededError);
    expect(error).toMatchObject({ name: "QuotaExceededError", quota: 7 });
    expect(isApiError(error, "quota:exceeded")).toBe(true);
    const elsewhere = await thrown(createClient({ baseUrl: (await answering(body, 404)).baseUrl }).me.get());
    expect(elsewhere).not.toBeInstanceOf(QuotaExceededError);
  });

  it("refuses a class that forgets to say of which code it is", () => {
    class Forgetful extends ApiError {}
    expect(() => registerApiError(Forgetful)).toThrowError("errorClass must have the code");
    class Inheriting extends QuotaExceededError {}
    expect(() => registerApiError(Inheriting)).toThrowError(InvalidArgumentError);
  });
});

describe("a partial client", () => {
  it("has the resources that it was given, and a request of its own", async () => {
    const { baseUrl } = await answering();
    const client = createPartialClient({ projects: ProjectsResource }, { baseUrl });
    expect(await client.projects.get("proj_1")).toEqual({ id: "proj_1" });
    expect(await client.request({ method: "GET", path: "/v1/me" })).toEqual({ data: { id: "proj_1" } });
    expect(Object.keys(client)).toEqual(["projects"]);
    const failing = createPartialClient(
      { projects: ProjectsResource },
      { baseUrl: (await answering({}, 500)).baseUrl },
    );
    expect(((await thrown(failing.projects.list())) as MgmtError).code).toBe("http:500");
  });
});

describe("prefetch", () => {
  const pages = (delays: { requests: string[] }) =>
    startServer((request, response) => {
      const cursor = new URL(request.url, "http://x").searchParams.get("cursor") ?? "0";
      delays.requests.push(cursor);
      const next = Number(cursor) + 1;
      if (cursor === "3") return json(response, 500, {});
      const pagination = { hasMore: next < 5, nextCursor: next < 5 ? String(next) : null };
      json(response, 200, { data: [{ id: cursor }], pagination });
    });

  it("asks for one page while the current one is worked on, not before it is asked to", async () => {
    const log = { requests: [] as string[] };
    const { baseUrl } = await pages(log);
    const client = createClient({ baseUrl });
    for await (const page of client.projects.list({}, { prefetch: true }).pages()) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      const number = Number(page.data[0]?.id);
      expect(log.requests).toHaveLength(number + 2);
      if (number === 1) break;
    }
    log.requests.length = 0;
    for await (const page of client.projects.list().pages()) {
      expect(page.data).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(log.requests).toEqual(["0"]);
      break;
    }
  });

  it("keeps a failure until its page's turn, and drops it when the walk is left before", async () => {
    const log = { requests: [] as string[] };
    const { baseUrl } = await pages(log);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const list = () => createClient({ baseUrl, maxRetries: 0 }).projects.list({}, { prefetch: true });
    const seen: string[] = [];
    const walk = async () => {
      for await (const { id } of list()) seen.push(id);
    };
    expect(await thrown(walk())).toMatchObject({ status: 500 });
    expect(seen).toEqual(["0", "1", "2"]);
    for await (const { id } of list()) if (id === "2") break;
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});
