import { describe, expect, it, vi } from "vitest";
import { type CursorPage, PagingError, type Project, createClient } from "@mgmt/sdk";
import { json, startServer, thrown } from "../../test/server.js";

const item = (id: number) => ({ id: `proj_${id}` });
const page = (ids: number[], nextCursor: string | null) => ({
  data: ids.map(item),
  pagination: { nextCursor, hasMore: nextCursor !== null },
});

/** Starts a service that returns pages by their cursor; the first page has none. */
const start = async (pages: Record<string, unknown>) => {
  const server = await startServer(({ url }, response) => {
    const cursor = new URL(url, "https://x").searchParams.get("cursor") ?? "";
    const body = pages[cursor];
    if (body === undefined) json(response, 500, { error: { code: "internal:error", message: cursor } });
    else json(response, 200, body);
  });
  return { ...server, client: createClient({ baseUrl: server.baseUrl, token: false }) };
};

const three = { "": page([1, 2], "a"), a: page([3], "b"), b: page([4, 5], null) };

describe("a list whose service has ever more pages", () => {
  /** Returns a client, the cursors that it has sent, and the number of requests. */
  const endless = (dataOf: (page: number) => object[]) => {
    let pages = 0;
    const send = async ({ method }: { method: string }) => {
      if (method === "POST") return { status: 409, headers: {}, body: conflict };
      pages += 1;
      const body = JSON.stringify({
        data: dataOf(pages),
        pagination: { hasMore: true, nextCursor: `c${pages}` },
      });
      return { status: 200, headers: { "x-request-id": `req_${pages}` }, body };
    };
    const client = createClient({ baseUrl: "https://api.test", token: false, transport: { send } });
    return { client, count: () => pages };
  };
  const conflict = '{"error":{"code":"project:logical_id_conflict","message":"It exists."}}';
  const broken = { code: "paging:broken", reason: "endless" };

  it("ends with an error after 1,000 empty pages in a row", async () => {
    const { client, count } = endless(() => []);
    const error = await thrown(client.projects.list().toArray());
    expect(error).toBeInstanceOf(PagingError);
    expect(error).toMatchObject({
      ...broken,
      message: "The service has ever more pages",
      requestId: "req_1001",
      hint: expect.stringContaining("the last nextCursor as cursor"),
    });
    expect(count()).toBe(1_001);
    await expect(client.projects.ensure({ logicalId: "a", name: "a" })).rejects.toMatchObject(broken);
    await expect(
      client.requestPages({ method: "GET", path: "/v1/projects" }).toArray(),
    ).rejects.toMatchObject(broken);
  });

  it("counts empty pages only in a row", async () => {
    const { client } = endless((number) => (number % 900 === 0 ? [item(number)] : []));
    expect(await client.projects.list().toArray({ limit: 3 })).toHaveLength(3);
  });

  it("ends with an error after 10,000 pages with items", async () => {
    const { client, count } = endless((number) => [item(number)]);
    let items = 0;
    const iterate = async (): Promise<void> => {
      for await (const { id } of client.projects.list({}, { prefetch: true })) if (id) items += 1;
    };
    await expect(iterate()).rejects.toMatchObject(broken);
    expect([items, count()]).toEqual([10_000, 10_001]);
  });
});

describe("a list whose cursors go back to the first one", () => {
  it.each([{}, { prefetch: true }])("ends with an error, with %j", async (options) => {
    const { client } = await start({ a: page([1], "b"), b: page([2], "a") });
    const ids: string[] = [];
    const iterate = async (): Promise<void> => {
      for await (const { id } of client.projects.list({ cursor: "a" }, options)) ids.push(id);
    };
    expect(await thrown(iterate())).toMatchObject({ code: "paging:broken", reason: "cursor_repeated" });
    expect(ids).toEqual(["proj_1"]);
  });
});

describe("a list", () => {
  it("resolves to its first page", async () => {
    const { client, seen } = await start(three);
    const first: CursorPage<Project> = await client.projects.list();
    expect(first).toEqual({ data: [item(1), item(2)], nextCursor: "a", hasMore: true });
    expect(seen).toHaveLength(1);
  });

  it("iterates over items in order", async () => {
    const { client, seen } = await start(three);
    const ids: string[] = [];
    for await (const { id } of client.projects.list({ limit: 2, logicalId: "x" })) ids.push(id);
    expect(ids).toEqual(["proj_1", "proj_2", "proj_3", "proj_4", "proj_5"]);
    expect(seen.map(({ url }) => url)).toEqual([
      "/v1/projects?limit=2&logicalId=x",
      "/v1/projects?limit=2&logicalId=x&cursor=a",
      "/v1/projects?limit=2&logicalId=x&cursor=b",
    ]);
  });

  it("iterates over pages", async () => {
    const { client } = await start(three);
    const sizes: number[] = [];
    for await (const { data } of client.projects.list().pages()) sizes.push(data.length);
    expect(sizes).toEqual([2, 1, 2]);
  });

  it("converts to an array, whole or up to a limit, without requesting a page too many", async () => {
    const { client, seen } = await start(three);
    expect(await client.projects.list().toArray()).toHaveLength(5);
    expect(seen.splice(0)).toHaveLength(3);
    expect(await client.projects.list().toArray({ limit: 3 })).toEqual([item(1), item(2), item(3)]);
    expect(seen.splice(0)).toHaveLength(2);
    expect(await client.projects.list().toArray({ limit: 2 })).toHaveLength(2);
    expect(seen.splice(0)).toHaveLength(1);
    expect(await client.projects.list().toArray({ limit: 0 })).toEqual([]);
    expect(seen).toEqual([]);
  });

  it.each([NaN, -1])("refuses a limit of %d instead of iterating to the end", async (limit) => {
    const { client, seen } = await start(three);
    const error = await thrown(client.projects.list().toArray({ limit }));
    expect(error).toMatchObject({ code: "argument:invalid", argument: "limit" });
    expect(seen).toEqual([]);
  });

  it("asks for nothing before it is awaited, and for its first page once", async () => {
    const { baseUrl, seen } = await start(three);
    const fetch = vi.fn(globalThis.fetch);
    const list = createClient({ baseUrl, token: false, fetch }).projects.list();
    await new Promise((resolve) => setImmediate(resolve));
    expect(fetch).not.toHaveBeenCalled();
    const [first] = await Promise.all([list, list, list.then((each) => each)]);
    expect(first?.data).toHaveLength(2);
    expect(await list.toArray()).toHaveLength(5);
    expect(seen).toHaveLength(3);
  });

  it("behaves as a promise does: then, catch, finally, Promise.all", async () => {
    const { client } = await start({ "": page([1], null) });
    let settled = 0;
    expect(await client.projects.list().then(({ data }) => data.length)).toBe(1);
    await client.projects.list().finally(() => (settled += 1));
    expect(settled).toBe(1);
    const missing = createClient({ baseUrl: (await start({})).baseUrl, token: false }).projects.list();
    expect(await missing.catch((error: Error) => error.message)).toContain("failed with status 500");
    expect(Object.prototype.toString.call(missing)).toBe("[object CursorPages]");
  });

  it("starts at a cursor and resumes from the page where it was left", async () => {
    const { client } = await start(three);
    const first = await client.projects.list();
    const rest = await client.projects.list({ cursor: first.nextCursor }).toArray();
    expect(rest).toEqual([item(3), item(4), item(5)]);
  });

  it("stops asking when the walk is left", async () => {
    const { client, seen } = await start(three);
    for await (const { id } of client.projects.list()) if (id === "proj_2") break;
    expect(seen).toHaveLength(1);
  });

  it("reports no failure of a page that was requested ahead and that nobody reads", async () => {
    const pages = [page([1], "a")];
    const send = async () => {
      const body = pages.shift();
      return body
        ? { status: 200, headers: {}, body: JSON.stringify(body) }
        : new Promise<never>(() => undefined);
    };
    const client = createClient({ baseUrl: "https://api.test", token: false, transport: { send } });
    const note = vi.fn();
    process.on("unhandledRejection", note);
    const controller = new AbortController();
    for await (const { id } of client.projects.list({}, { prefetch: true, signal: controller.signal }))
      if (id) break;
    controller.abort();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(note).not.toHaveBeenCalled();
  });

  it("ends at hasMore false, even when a cursor comes with it", async () => {
    const { client } = await start({
      "": { data: [item(1)], pagination: { nextCursor: "a", hasMore: false } },
    });
    expect(await client.projects.list()).toMatchObject({ nextCursor: null, hasMore: false });
    expect(await client.projects.list().toArray()).toHaveLength(1);
  });

  it("is a single page without cursors, which can be awaited and iterated as any other", async () => {
    const regions = [{ id: "us-east-1" }, { id: "eu-west-3" }];
    const { client, seen } = await start({ "": { data: regions } });
    const page = { data: regions, nextCursor: null, hasMore: false };
    for (const list of [
      () => client.regions.list(),
      () => client.regions.listPostgres(),
      () => client.regions.listAccelerate(),
    ]) {
      expect(await list()).toEqual(page);
      const seenItems: unknown[] = [];
      for await (const region of list()) seenItems.push(region);
      expect(seenItems).toEqual(regions);
      expect(await list().toArray({ limit: 1 })).toEqual(regions.slice(0, 1));
      expect((await list().withResponse()).data).toEqual(page);
    }
    expect(seen).toHaveLength(12);
    expect((await client.safe.regions.list()).data).toEqual(page);
  });

  it("has what the response has besides the items, such as the retention of backups", async () => {
    const body = {
      data: [{ id: "bkp_1" }],
      meta: { backupRetentionDays: 7 },
      pagination: { hasMore: true, limit: 1 },
    };
    const { client } = await start({ "": body });
    const page = await client.databases.backups.list("db_1", { limit: 1 });
    expect(page).toEqual({ ...body, nextCursor: null, hasMore: true });
    expect(page.meta.backupRetentionDays).toBe(7);
    expect(await client.databases.backups.list("db_1").toArray()).toEqual(body.data);
  });

  it("is refused without items", async () => {
    const { client } = await start({ "": { data: { id: "us-east-1" } } });
    expect(await thrown(client.regions.list())).toMatchObject({ code: "response:invalid" });
  });
});

describe("a faulty list", () => {
  it("continues after an empty page in the middle", async () => {
    const { client } = await start({ "": page([], "a"), a: page([], "b"), b: page([1], null) });
    expect(await client.projects.list().toArray()).toEqual([item(1)]);
  });

  it("throws when the service repeats a cursor", async () => {
    const { client, seen } = await start({ "": page([1], "a"), a: page([2], "a") });
    const ids: string[] = [];
    const walk = (async () => {
      for await (const { id } of client.projects.list()) ids.push(id);
    })();
    const error = await thrown(walk);
    expect(error).toBeInstanceOf(PagingError);
    expect(error).toMatchObject({ code: "paging:broken", requestId: "req_1" });
    expect(ids).toEqual(["proj_1"]);
    expect(seen).toHaveLength(2);
  });

  it("throws when the service ignores the cursor and returns the first page again", async () => {
    const { client, seen } = await start({ "": page([1, 2], "a"), a: page([1, 2], "a") });
    for (const options of [{}, { prefetch: true }]) {
      expect(await thrown(client.projects.list({}, options).toArray())).toBeInstanceOf(PagingError);
      expect(seen.splice(0)).toHaveLength(2);
    }
  });

  it("throws when cursors go in a circle", async () => {
    const { client, seen } = await start({ "": page([1], "a"), a: page([2], "b"), b: page([3], "a") });
    expect(await thrown(client.projects.list().toArray())).toBeInstanceOf(PagingError);
    expect(seen).toHaveLength(3);
  });

  it("throws when a page leads to itself, also for those who page by hand", async () => {
    const { client } = await start({ a: page([1], "a") });
    expect(await thrown(client.projects.list({ cursor: "a" }))).toBeInstanceOf(PagingError);
  });

  it.each([null, undefined, "", 5])("throws when there is more but the cursor is %j", async (nextCursor) => {
    const { client, seen } = await start({ "": { data: [], pagination: { nextCursor, hasMore: true } } });
    expect(await thrown(client.projects.list())).toBeInstanceOf(PagingError);
    expect(await thrown(client.projects.list().toArray())).toBeInstanceOf(PagingError);
    expect(seen).toHaveLength(2);
  });

  it("throws the error of a later page, after the items before it", async () => {
    const { client } = await start({ "": page([1], "gone") });
    const ids: string[] = [];
    const walk = (async () => {
      for await (const { id } of client.projects.list()) ids.push(id);
    })();
    expect(await thrown(walk)).toMatchObject({ code: "internal:error", message: "gone", requestId: "req_1" });
    expect(ids).toEqual(["proj_1"]);
  });

  it("ends a walk with the caller's reason", async () => {
    const { client, seen } = await start(three);
    const controller = new AbortController();
    const walk = (async () => {
      for await (const { id } of client.projects.list({}, { signal: controller.signal })) {
        if (id === "proj_2") controller.abort("enough");
      }
    })();
    expect(await thrown(walk)).toMatchObject({ name: "AbortError", cause: "enough" });
    expect(seen).toHaveLength(1);
  });
});
