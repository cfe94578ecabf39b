import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@mgmt/sdk";
import { createManagementApiClient } from "@prisma/management-api-sdk";
import { type Lists, type Target, type Walker, serveCalls } from "./calls.js";

type Pages = (target: Target, limit: number) => AsyncIterable<readonly { id: string }[]>;

let target: Target | undefined;

/** This SDK, prefetching the next page while the consumer works on the current one. */
async function* prefetched({ baseUrl, token }: Target, limit: number): ReturnType<Pages> {
  const client = createClient({ baseUrl, token });
  for await (const { data } of client.projects.list({ limit }, { prefetch: true }).pages()) yield data;
}

/** The loop that users of a client without paging write. */
async function* sequential({ baseUrl, token }: Target, limit: number): ReturnType<Pages> {
  const client = createManagementApiClient({ baseUrl, token });
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? { limit } : { limit, cursor };
    const { data: page } = await client.GET("/v1/projects", { params: { query } });
    if (!page) throw new Error("A page is missing");
    yield page.data;
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

const walks = { prefetch: prefetched, sequential } satisfies Record<string, Pages>;

serveCalls<Walker>({
  start: (where) => {
    target = where;
  },
  time: async (walk, { pages, itemsPerPage }: Lists, workMs) => {
    if (!target) throw new Error("`start` must be called first");
    const found: (readonly { id: string }[])[] = [];
    const started = performance.now();
    for await (const page of walks[walk](target, itemsPerPage)) {
      found.push(page);
      await sleep(workMs);
    }
    const elapsed = performance.now() - started;
    if (found.length !== pages || found.some(({ length }) => length !== itemsPerPage)) {
      throw new Error("The number of pages, or of items on a page, differs from the server's");
    }
    if (found.flat().some(({ id }, index) => id !== `p-${String(index)}`)) {
      throw new Error("An item is missing or out of order");
    }
    return elapsed;
  },
});
