import type { CollectionName } from "../store/collections.js";
import type { Row } from "../store/rows.js";
import type { Collection, PageRequest } from "../store/store.js";
import { type Preload, mapBatched } from "../store/preload.js";
import type { OperationCall, RoutedRequest, SuccessResponse } from "../context/operation-handler.js";
import { errors } from "../values/errors.js";
import type { RowSerializer } from "../context/row-json-cache.js";

/** Query of a list, with the default of `limit` applied. An empty `cursor` counts as absent. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | null | undefined;
}

/** How the rows of a page are selected and sorted. */
export interface PageOptions<T> extends Pick<PageRequest<T, unknown>, "containing"> {
  /** Whether the newest row comes first. Default: false. */
  newestFirst?: boolean;
}

/**
 * Returns one page of the matching rows. The cursor contains the insertion number of the last row of the page, so that
 * no row is skipped or repeated when others are added or deleted. It is valid only for the same operation, path,
 * filters and workspace. `serialize` must be the same function for each call.
 *
 * @throws RequestError 422 `validation:failed` for any other cursor.
 */
export const respondWithPage = <T extends Row, Where>(
  call: OperationCall & { readonly query: PageQuery },
  collection: Collection<T, Where>,
  where: Where,
  serialize: RowSerializer<T>,
  options: PageOptions<T> = {},
): SuccessResponse => {
  const { limit, cursor, ...filters } = call.query;
  const buildScope = (): string =>
    JSON.stringify([call.operationId, call.path, Object.entries(filters).sort(), call.principal.workspaceId]);
  const afterSequence = cursor ? call.context.cursorCodec.read(cursor, buildScope()) : undefined;
  if (cursor && afterSequence === undefined) {
    throw errors.validationFailed([{ path: "query/cursor", message: "is not a cursor of this list" }]);
  }

  const rows = collection.listPage({ where, after: afterSequence, limit: limit + 1, ...options });
  const pageRows = rows.length > limit ? rows.slice(0, limit) : rows;
  const lastRow = pageRows.at(-1);
  const nextCursor =
    rows.length > limit && lastRow
      ? call.context.cursorCodec.write(collection.getSequence(lastRow.id), buildScope())
      : null;
  const pagination = { nextCursor, hasMore: nextCursor !== null };
  const { context } = call;
  const { rowJsonCache } = context;
  if (rowJsonCache === undefined) {
    return {
      status: 200,
      body: { data: mapBatched(pageRows, (row) => serialize(context, row)), pagination },
    };
  }
  return { status: 200, json: rowJsonCache.renderPage(serialize, pageRows, JSON.stringify(pagination)) };
};

/** Number of rows of a page if the request does not specify it. */
const defaultLimit = 100;

/**
 * Returns the preloads of a list of all rows of a workspace: the first page if there are no filters, and the row after it, which shows
 * whether there are more pages.
 */
export const createFirstPagePreloader =
  (table: CollectionName) =>
  ({ principal: { workspaceId }, search }: RoutedRequest): Preload[] => {
    const { limit = String(defaultLimit), ...filters } = Object.fromEntries(new URLSearchParams(search));
    if (Object.keys(filters).length > 0 || !/^[1-9]\d{0,2}$/.test(limit)) return [];
    const where = { workspaceId };
    return [{ read: "range", table, where, after: null, limit: Number(limit) + 1, newestFirst: false }];
  };
