import { describe, expect, it } from "vitest";
import { InvalidResponseError, PagingError, createClient } from "@mgmt/sdk";
import { json, startServer, thrown } from "../test/server.js";

/** A client of a service that returns these bodies by cursor; the first page has none. */
const start = async (bodies: Record<string, unknown>) => {
  const server = await startServer(({ url }, response) =>
    json(response, 200, bodies[new URL(url, "https://x").searchParams.get("cursor") ?? ""]),
  );
  return { ...server, client: createClient({ baseUrl: server.baseUrl, token: false }) };
};

const call = { method: "GET", path: "/v1/things/{id}/parts", pathParams: { id: "a b" } } as const;

describe("client.requestPages", () => {
  it("returns a promise of the first page and iterates over the items of all pages", async () => {
    const { client, seen } = await start({
      "": { data: [1, 2], pagination: { nextCursor: "x", hasMore: true } },
      x: { data: [], pagination: { nextCursor: "y", hasMore: true } },
      y: { data: [3], pagination: { nextCursor: null, hasMore: false } },
    });
    const list = { ...call, query: { limit: 2 } };
    expect(await client.requestPages(list)).toEqual({ data: [1, 2], nextCursor: "x", hasMore: true });
    expect(await client.requestPages<number>(list).toArray()).toEqual([1, 2, 3]);
    expect(seen.map(({ url }) => url)).toEqual([
      "/v1/things/a%20b/parts?limit=2",
      "/v1/things/a%20b/parts?limit=2",
      "/v1/things/a%20b/parts?limit=2&cursor=x",
      "/v1/things/a%20b/parts?limit=2&cursor=y",
    ]);
  });

  it("starts at the cursor of the query", async () => {
    const { client } = await start({ y: { data: [3], pagination: { nextCursor: null, hasMore: false } } });
    expect(await client.requestPages({ ...call, query: { cursor: "y" } }).toArray()).toEqual([3]);
  });

  it.each([
    [{ data: [1] }, false],
    [{ data: [1], pagination: null }, false],
    [{ data: [1], pagination: { hasMore: false, limit: 1 } }, false],
    [{ data: [1], pagination: { hasMore: true, limit: 1 } }, true],
  ])("returns a single page for a list without cursors: %j", async (body, hasMore) => {
    const { client, seen } = await start({ "": body });
    expect(await client.requestPages(call)).toEqual({ ...body, nextCursor: null, hasMore });
    expect(await client.requestPages(call).toArray()).toEqual([1]);
    expect(seen).toHaveLength(2);
  });

  it.each([
    ["cursor_missing", { "": { data: [1], pagination: { nextCursor: null, hasMore: true } } }],
    ["cursor_missing", { "": { data: [1], pagination: { nextCursor: "", hasMore: true } } }],
    [
      "cursor_repeated",
      {
        "": { data: [1], pagination: { nextCursor: "x", hasMore: true } },
        x: { data: [1], pagination: { nextCursor: "x", hasMore: true } },
      },
    ],
  ])("throws a PagingError with the reason %s", async (reason, bodies) => {
    const { client } = await start(bodies);
    const error = await thrown(client.requestPages(call).toArray());
    expect(error).toBeInstanceOf(PagingError);
    expect(error).toMatchObject({ code: "paging:broken", reason, requestId: expect.any(String) });
  });

  it.each([null, [], {}, { data: {} }, { data: [1], pagination: { nextCursor: "x" } }])(
    "throws an InvalidResponseError for a body that is not a list: %j",
    async (body) => {
      const { client } = await start({ "": body });
      expect(await thrown(client.requestPages(call))).toBeInstanceOf(InvalidResponseError);
    },
  );
});
