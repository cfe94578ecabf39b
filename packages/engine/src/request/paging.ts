import type { Row } from "../store/rows.js";
import type { Collection, PageRequest } from "../store/store.js";
import type { Call, Success } from "./behavior.js";
import { errors } from "./errors.js";

/** What a list asks for: `limit` has its default by now, an empty `cursor` counts as none. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | null | undefined;
}

export interface PageOptions<T> extends Pick<PageRequest<T, unknown>, "containing"> {
  /** § Paging: service tokens and backups come newest first, everything else oldest first. */
  newestFirst?: boolean;
}

/**
 * Answers one page of the collection's matching rows. The cursor holds the insertion number of the page's last row, so
 * that nothing is skipped or repeated while rows come and go; it binds operation, path, filters and workspace, and
 * another's is a 422.
 */
export const page = <T extends Row, W>(
  call: Call & { readonly query: PageQuery },
  collection: Collection<T, W>,
  where: W,
  toItem: (row: T) => unknown,
  options: PageOptions<T> = {},
): Success => {
  const { limit, cursor, ...filters } = call.query;
  const scope = JSON.stringify([
    call.operationId,
    call.path,
    Object.entries(filters).sort(),
    call.principal.workspaceId,
  ]);
  const after = cursor ? call.world.cursors.read(cursor, scope) : undefined;
  if (cursor && after === undefined) {
    throw errors.validationFailed([{ path: "query/cursor", message: "is not a cursor of this list" }]);
  }

  const rows = collection.page({ where, after, limit: limit + 1, ...options });
  const shown = rows.length > limit ? rows.slice(0, limit) : rows;
  const last = shown.at(-1);
  const nextCursor =
    rows.length > limit && last ? call.world.cursors.write(collection.sequence(last.id), scope) : null;
  return {
    status: 200,
    body: { data: shown.map(toItem), pagination: { nextCursor, hasMore: nextCursor !== null } },
  };
};
