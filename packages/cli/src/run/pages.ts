import { CliError } from "../errors.js";
import type { Call, Send } from "./connect.js";

export interface List {
  items: unknown[];
  /** Where the list goes on; undefined at its end. */
  nextCursor: string | undefined;
}

const broken = (problem: string): CliError =>
  new CliError(
    "failure",
    "paging:broken",
    `The list cannot go on: ${problem}`,
    "Report the fault to whoever runs the service.",
  );

export const readList = (body: unknown, seen?: ReadonlySet<string>): List => {
  const { data, pagination } = (body ?? {}) as {
    data?: unknown;
    pagination?: { nextCursor?: unknown; hasMore?: unknown };
  };
  if (!Array.isArray(data)) {
    throw new CliError(
      "failure",
      "response:invalid",
      "The service answered with something that is not a list",
      "Check the base URL.",
    );
  }
  if (pagination?.hasMore !== true || !("nextCursor" in pagination))
    return { items: data, nextCursor: undefined };
  const { nextCursor } = pagination;
  if (typeof nextCursor !== "string" || nextCursor === "")
    throw broken("there is more, but no cursor that leads there");
  if (seen?.has(nextCursor)) throw broken("the service repeated a cursor");
  return { items: data, nextCursor };
};

/** Every page; an empty one in the middle does not end the walk. */
export const allPages = async (send: Send, call: Call): Promise<List> => {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let { cursor } = call.query ?? {};
  for (;;) {
    const page = readList(await send({ ...call, query: { ...call.query, cursor } }), seen);
    for (const item of page.items) items.push(item);
    if (page.nextCursor === undefined) return { items, nextCursor: undefined };
    seen.add(page.nextCursor);
    cursor = page.nextCursor;
  }
};
