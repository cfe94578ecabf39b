import { brokenPaging, unexpectedAnswer } from "../errors.js";
import { valueAt } from "../value-at.js";
import type { Call, Send } from "./connect.js";

export interface List {
  items: unknown[];
  /** Where the list goes on; undefined at its end. */
  nextCursor: string | undefined;
}

export const readList = (body: unknown, seen?: ReadonlySet<string>): List => {
  const items = valueAt(body, ["data"]);
  if (!Array.isArray(items)) throw unexpectedAnswer("a list");
  const nextCursor = valueAt(body, ["pagination", "nextCursor"]);
  const more = valueAt(body, ["pagination", "hasMore"]) === true;
  // Backups say that there is more, but have no cursor that leads there.
  if (!more || nextCursor === undefined) return { items, nextCursor: undefined };
  if (typeof nextCursor !== "string" || nextCursor === "") {
    throw brokenPaging("there is more, but no cursor that leads there");
  }
  if (seen?.has(nextCursor)) throw brokenPaging("the service repeated a cursor");
  return { items, nextCursor };
};

/** Every page; an empty one in the middle does not end the walk. */
export const allPages = async (send: Send, call: Call): Promise<List> => {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let cursor = call.query?.["cursor"];
  for (;;) {
    const page = readList(await send({ ...call, query: { ...call.query, cursor } }), seen);
    for (const item of page.items) items.push(item);
    if (page.nextCursor === undefined) return { items, nextCursor: undefined };
    seen.add(page.nextCursor);
    cursor = page.nextCursor;
  }
};
