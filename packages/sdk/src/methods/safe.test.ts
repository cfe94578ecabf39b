import { describe, expect, it, vi } from "vitest";
import {
  ConflictError,
  createClient,
  createPartialClient,
  isApiError,
  ProjectsResource,
  safely,
} from "@mgmt/sdk";
import { answering, json, startServer, thrown } from "../../test/server.js";

describe("safe", () => {
  it("returns the value or the error, for methods at every depth and for lists", async () => {
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
    const { safe } = createClient({ baseUrl, token: false });
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
    expect(await thrown(createClient({ baseUrl, token: false }).safe.me.get({ signal }))).toMatchObject({
      name: "AbortError",
      cause: "enough",
    });
  });

  it("returns the HTTP response with the value, for calls and for lists, which are sent once", async () => {
    const page = { data: [{ id: "a" }], pagination: { hasMore: false, nextCursor: null } };
    const { baseUrl, seen } = await answering(page);
    const { safe } = createClient({ baseUrl, token: false });
    const call = safe.projects.get("proj_1");
    const { data, error, response } = await call.withResponse();
    expect({ data, error }).toEqual(await call);
    expect(response).toMatchObject({ status: 200, requestId: "req_1", attempts: [{ status: 200 }] });
    expect(response?.headers["content-type"]).toBe("application/json");
    const list = await safe.projects.list().withResponse();
    expect(list).toMatchObject({ data: { data: page.data }, error: undefined, response: { status: 200 } });
    expect(seen).toHaveLength(2);
  });

  it("returns the HTTP response with the error, and none when there was none", async () => {
    const { baseUrl } = await answering({ error: { code: "project:not_found", message: "m" } }, 404);
    const { safe } = createClient({ baseUrl, token: false });
    const { data, error, response } = await safe.projects.get("proj_1").withResponse();
    expect(data).toBeUndefined();
    expect(isApiError(error, "project:not_found")).toBe(true);
    expect(response).toMatchObject({ status: 404, requestId: "req_1", attempts: [{ status: 404 }] });
    expect(response?.headers["content-type"]).toBe("application/json");
    const unsent = await safe.projects.get("..").withResponse();
    expect(unsent).toMatchObject({ error: { code: "argument:invalid" }, response: undefined });
    const signal = AbortSignal.abort("enough");
    expect(await thrown(safe.projects.get("proj_1", { signal }).withResponse())).toMatchObject({
      name: "AbortError",
      cause: "enough",
    });
  });

  it.each([
    ["a code of a newer service", { error: { code: "quota:exceeded", message: "m" } }, "quota:exceeded"],
    ["a body that is not JSON", "<html>Bad gateway</html>", "http:409"],
    ["no body", "", "http:409"],
  ])("returns an error that no case matches for %s", async (_, body, code) => {
    const { baseUrl } = await startServer((_request, response) => {
      response.writeHead(409, { "content-type": "application/json" });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
    const { safe } = createClient({ baseUrl, token: false });
    const { error } = await safe.services.create({ displayName: "web", projectId: "proj_1" });
    switch (error?.code) {
      case "app:already_exists":
      case "connection:failed":
      case "argument:invalid":
        throw error;
      default:
        expect(error).toBeInstanceOf(ConflictError);
        expect(error?.code).toBe(code);
    }
  });

  it("leaves out the fields that the body of an error lacks", async () => {
    const { baseUrl, seen } = await answering(
      { error: { code: "app:already_exists", message: "m", name: "web" } },
      409,
    );
    const { safe } = createClient({ baseUrl, token: false });
    const { error } = await safe.services.create({ displayName: "web", projectId: "proj_1" });
    if (error?.code !== "app:already_exists") throw new Error("expected the conflict", { cause: error });
    expect("existingAppId" in error).toBe(false);
    const next = await safe.services.get(error.existingAppId);
    expect(next.error).toMatchObject({ code: "argument:invalid", argument: "serviceId" });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ["a number", 5],
    ["an object", { id: "app_1" }],
    ["null", null],
  ])(
    "keeps a field of an error that is %s instead of text, which no call accepts",
    async (_, existingAppId) => {
      const { baseUrl, seen } = await answering(
        { error: { code: "app:already_exists", message: "m", name: "web", existingAppId } },
        409,
      );
      const { safe } = createClient({ baseUrl, token: false });
      const { error } = await safe.services.create({ displayName: "web", projectId: "proj_1" });
      if (error?.code !== "app:already_exists") throw new Error("expected the conflict", { cause: error });
      expect(error).toMatchObject({ name: "web", existingAppId });
      const next = await safe.services.get(error.existingAppId);
      expect(next.error).toMatchObject({ code: "argument:invalid", argument: "serviceId" });
      expect(seen).toHaveLength(1);
    },
  );

  it("works on a partial client and on one resource", async () => {
    const { baseUrl } = await answering({}, 409);
    const partial = createPartialClient({ projects: ProjectsResource }, { baseUrl, token: false });
    expect((await safely(partial).projects.create()).error).toBeInstanceOf(ConflictError);
    expect((await safely(partial.projects).create()).error).toBeInstanceOf(ConflictError);
  });
});

describe("prefetch", () => {
  const pages = (delays: { requests: string[] }) =>
    startServer((request, response) => {
      const cursor = new URL(request.url, "https://x").searchParams.get("cursor") ?? "0";
      delays.requests.push(cursor);
      const next = Number(cursor) + 1;
      if (cursor === "3") return json(response, 500, {});
      const pagination = { hasMore: next < 5, nextCursor: next < 5 ? String(next) : null };
      json(response, 200, { data: [{ id: cursor }], pagination });
    });

  it("asks for one page while the current one is worked on, not before it is asked to", async () => {
    const requests: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      const { pathname, searchParams } = new URL(url);
      if (pathname !== "/v1/projects") return Response.json({ data: {} });
      const cursor = searchParams.get("cursor") ?? "0";
      requests.push(cursor);
      const pagination = { hasMore: true, nextCursor: String(Number(cursor) + 1) };
      return Response.json({ data: [{ id: cursor }], pagination });
    };
    const client = createClient({ baseUrl: "https://api.test", token: false, fetch });
    const expectRequests = async (cursors: string[]): Promise<void> => {
      await vi.waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(cursors.length));
      // A page that was asked for too early would be requested before the response to a later call.
      await client.me.get();
      expect(requests).toEqual(cursors);
    };
    for await (const page of client.projects.list({}, { prefetch: true }).pages()) {
      const isFirst = page.data[0]?.id === "0";
      await expectRequests(isFirst ? ["0", "1"] : ["0", "1", "2"]);
      if (!isFirst) break;
    }
    await expectRequests(["0", "1", "2"]);
    requests.length = 0;
    for await (const page of client.projects.list().pages()) {
      expect(page.data).toHaveLength(1);
      await expectRequests(["0"]);
      break;
    }
  });

  it("holds a failure until its page's turn, and drops it when the iteration ends earlier", async () => {
    const log = { requests: [] as string[] };
    const { baseUrl } = await pages(log);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const list = () =>
      createClient({ baseUrl, token: false, maxRetries: 0 }).projects.list({}, { prefetch: true });
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
