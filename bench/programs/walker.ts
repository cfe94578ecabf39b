import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@mgmt/sdk";
import { createManagementApiClient } from "@prisma/management-api-sdk";
import { type Target, answer } from "./answer.js";
import type { Lists } from "./list-server.js";

type Pages = (target: Target, limit: number) => AsyncIterable<readonly { id: string }[]>;

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

const walks = { prefetched, sequential } satisfies Record<string, Pages>;

export interface Walk extends Pick<Lists, "pages" | "itemsPerPage"> {
  readonly walk: keyof typeof walks;
  readonly target: Target;
  /** Milliseconds of work on each page. */
  readonly workMs: number;
}

/** Answers with the milliseconds for all pages, with a consumer that works on each. */
await answer(async ({ walk, target, pages, itemsPerPage, workMs }: Walk) => {
  const found: string[] = [];
  const started = performance.now();
  for await (const page of walks[walk](target, itemsPerPage)) {
    found.push(...page.map(({ id }) => id));
    await sleep(workMs);
  }
  const elapsed = performance.now() - started;
  if (found.length !== pages * itemsPerPage || found.some((id, index) => id !== `p-${String(index)}`)) {
    throw new Error("An item is missing or out of order");
  }
  return elapsed;
});
