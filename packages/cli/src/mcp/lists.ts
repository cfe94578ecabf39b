import type { Call } from "@mgmt/sdk";
import { invalidArgumentsError } from "../errors/mcp-errors.js";
import { unexpectedResponseError } from "../errors/response-errors.js";
import { getAtPath } from "../json/json-path.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { omitUrls } from "./omit-urls.js";
import type { ServerContext } from "./server-context.js";
import type { ToolResult } from "./tool.js";

/** Items in one result. */
const pageSize = 20;

/** Prefix of the cursors of lists that the service does not paginate. */
const offsetPrefix = "offset:";

/**
 * Reads a page of a list.
 *
 * @param cursor the cursor from the result with the previous page. Undefined for the first page.
 */
export const readList = async (
  { id, paged, query }: GeneratedCommand,
  call: Call & { readonly method: "GET" },
  cursor: string | undefined,
  { session }: ServerContext,
  signal: AbortSignal,
): Promise<ToolResult> => {
  const client = await session.getClient();
  if (paged) {
    const pageQuery = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
    const page = await client.requestPages<unknown>(
      { ...call, query: Object.assign({}, call.query, pageQuery) },
      { signal },
    );
    return toPage(page.data, page.nextCursor);
  }
  const maximum = query.find(({ path }) => path.join(".") === "limit")?.maximum;
  const maxPageCall = maximum === undefined ? call : { ...call, query: { ...call.query, limit: maximum } };
  const items = getAtPath(await client.request<unknown>(maxPageCall, { signal }), ["data"]);
  if (!Array.isArray(items)) throw unexpectedResponseError("a list");
  const offset = readOffset(cursor, id);
  const end = offset + pageSize;
  return toPage(items.slice(offset, end), items.length > end ? `${offsetPrefix}${String(end)}` : null);
};

const readOffset = (cursor: string | undefined, operation: string): number => {
  if (cursor === undefined || cursor === "") return 0;
  const digits = cursor.startsWith(offsetPrefix) ? cursor.slice(offsetPrefix.length) : "";
  if (!/^\d{1,9}$/.test(digits)) throw invalidArgumentsError(operation, ["cursor is not one of this list"]);
  return Number(digits);
};

const toPage = (items: readonly unknown[], nextCursor: string | null): ToolResult => ({
  items: items.map(omitUrls),
  nextCursor,
});
