import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@mgmt/sdk";
import { createManagementApiClient } from "@prisma/management-api-sdk";
import { type Lists, type Place, type Walker, answerCalls } from "./calls.js";

type Pages = (place: Place, limit: number) => AsyncIterable<readonly { id: string }[]>;

let place: Place | undefined;

/** Ours, told to ask for the next page while the consumer works on this one. */
async function* prefetched({ baseUrl, token }: Place, limit: number): ReturnType<Pages> {
  const client = createClient({ baseUrl, token });
  for await (const { data } of client.projects.list({ limit }, { prefetch: true }).pages()) yield data;
}

/** The loop that users of the closest peer write: it has no pages of its own. */
async function* sequential({ baseUrl, token }: Place, limit: number): ReturnType<Pages> {
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

answerCalls<Walker>({
  start: (where) => {
    place = where;
  },
  time: async (walk, { pages, itemsPerPage }: Lists, workMs) => {
    if (!place) throw new Error("There is nowhere to walk yet");
    const found: (readonly { id: string }[])[] = [];
    const started = performance.now();
    for await (const page of walks[walk](place, itemsPerPage)) {
      found.push(page);
      await sleep(workMs);
    }
    const elapsed = performance.now() - started;
    if (found.length !== pages || found.some(({ length }) => length !== itemsPerPage)) {
      throw new Error("There are not as many pages, or not as many items on one, as the server has");
    }
    if (found.flat().some(({ id }, index) => id !== `p-${String(index)}`)) {
      throw new Error("An item is missing or out of order");
    }
    return elapsed;
  },
});
