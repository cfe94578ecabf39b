import { describe, expect, it } from "vitest";
import {
  ConnectionError,
  InvalidArgumentError,
  type Middleware,
  type Next,
  type OutgoingRequest,
  createClient,
} from "@mgmt/sdk";
import { answering, json, startServer, thrown } from "../../test/server.js";

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
    const client = createClient({ baseUrl, token: false, middleware: [named("a"), named("b")] });
    await client.projects.get("proj_1", { middleware: [named("c")] });
    expect(order).toEqual(["a >", "b >", "c >", "< c", "< b", "< a"]);
  });

  it("may be passed without a list in JavaScript, and must be a function", async () => {
    const { baseUrl, seen } = await answering();
    const client = (middleware: unknown) =>
      createClient({ baseUrl, token: false, middleware: middleware as readonly Middleware[] });
    const marking: Middleware = (request, next) =>
      next({ ...request, headers: { ...request.headers, "x-mark": "1" } });
    await client(marking).projects.get("proj_1");
    expect(seen[0]?.headers).toMatchObject({ "x-mark": "1" });
    expect(() => client("marking")).toThrow(InvalidArgumentError);
    expect(seen).toHaveLength(1);
  });

  it("runs again for every retry, and receives its number", async () => {
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
    await createClient({ baseUrl, token: false, middleware }).projects.get("proj_1");
    expect(seen).toEqual([1, 2, 3].map((attempt) => ["/v1/projects/{id}", attempt]));
  });

  it("may change the request and the response, and respond in place of the service", async () => {
    const { baseUrl, seen } = await answering();
    const client = createClient({
      baseUrl,
      token: false,
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

  it("sees the credential, the deadline's signal, and a ConnectionError when no response arrived", async () => {
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

  it("ends the call at once with the error that it throws", async () => {
    const { baseUrl, seen } = await answering();
    const broken: Middleware = () => Promise.reject(new RangeError("mine"));
    const client = createClient({ baseUrl, token: false, middleware: [broken] });
    expect(await thrown(client.me.get())).toBeInstanceOf(RangeError);
    expect(seen).toEqual([]);
  });

  it.each([
    ["returns nothing", async (request: OutgoingRequest, next: Next) => void (await next(request))],
    ["returns no answer", () => Promise.resolve({ status: 200 })],
    ["forgets the request", (_: OutgoingRequest, next: () => unknown) => next()],
  ])("is refused by name if it %s", async (_, broken) => {
    const { baseUrl } = await answering();
    // JavaScript callers can pass anything.
    const client = createClient({ baseUrl, token: false, middleware: [broken as unknown as Middleware] });
    const error = await thrown(client.me.get());
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument: "middleware", hint: expect.stringContaining("next(request)") });
  });

  it("is refused before the call if it is no function", async () => {
    const { baseUrl, seen } = await answering();
    // JavaScript callers can pass anything.
    const middleware = ["timing" as unknown as Middleware];
    expect(() => createClient({ baseUrl, token: false, middleware })).toThrow(
      "middleware must be an array of functions",
    );
    const error = await thrown(createClient({ baseUrl, token: false }).me.get({ middleware }));
    expect(error).toMatchObject({ argument: "middleware", problem: "must be an array of functions" });
    expect(seen).toEqual([]);
  });
});
