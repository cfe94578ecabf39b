import type { ApiPromise, WithResponse } from "./api-promise.js";
import { InvalidArgumentError } from "../errors/local-errors.js";
import type { Call, ContractCall, ListOptions } from "./call.js";
import type { ReadBody } from "./decode.js";
import type { RequestFunction } from "./request.js";
import { validateLimit } from "./settings.js";
import { assertOptions } from "#type-checks";

/** One page of a list. */
export interface CursorPage<T> {
  /** The items. A page may be empty and still have a next one. */
  readonly data: T[];
  /** Send it as `cursor` to get the next page; null when there is none. */
  readonly nextCursor: string | null;
  /** Whether there are more items after this page. */
  readonly hasMore: boolean;
}

/** A call that lists something, with the cursor of the page to start at. */
export type ListCall = Call & ListQuery;

interface ListQuery {
  query?: { cursor?: string | null } | undefined;
}

/** The cursors that an iteration has requested, with which it notices that its pages never end. */
interface RequestedCursors extends Set<unknown> {
  /** The number of empty pages since the last page with items. */
  empty?: number;
}

/** A list that has so many pages, or so many empty ones in a row, never ends. */
const maxPages = 10_000;
const maxEmptyPages = 1_000;

/** Loads the page at a cursor, and adds the cursor to the requested ones. Without a cursor, loads the first page, once. */
type LoadPage<T> = (cursor?: string, requestedCursors?: RequestedCursors) => ApiPromise<CursorPage<T>>;

/** The reason of a rejected promise. It is `any`, as in TypeScript's declaration of `Promise`, so that a handler can name the type it expects. */
type Reason = Parameters<NonNullable<Parameters<Promise<unknown>["catch"]>[0]>>[0];

/**
 * A promise of the first page of a list that is also an iterable of the items of all pages. A list without cursors has one page. No request
 * is sent before it is awaited or iterated, and the first page is requested once. Every page is a call of its own, with the same options.
 *
 * Items are in the order of their creation, oldest first; service tokens and backups are newest first. No item is skipped or repeated when
 * others are created or deleted between two pages. To resume where another iteration stopped, pass its last `nextCursor` as `cursor`. A
 * cursor stays valid when its item is deleted, but only for the same list with the same filters.
 *
 * ```ts
 * const page = await client.projects.list({ limit: 10 });
 * for await (const project of client.projects.list()) console.log(project.name);
 * const oldest = await client.projects.list({}, { prefetch: true }).toArray({ limit: 500 });
 * ```
 *
 * Throws `PagingError` when the service repeats a cursor, or reports more items without one, instead of looping; also after 10,000 pages,
 * or 1,000 empty pages in a row. To continue, pass the last `nextCursor` as `cursor`.
 */
export class CursorPages<T> implements Promise<CursorPage<T>>, AsyncIterable<T> {
  // Declared `private`, because a proxy around the list could not read `#` fields.
  declare private readonly load: LoadPage<T>;
  declare private readonly prefetch: boolean | undefined;

  constructor(load: LoadPage<T>, prefetch?: boolean) {
    this.load = load;
    this.prefetch = prefetch;
  }

  get [Symbol.toStringTag](): string {
    return "CursorPages";
  }

  then<TResult1 = CursorPage<T>, TResult2 = never>(
    onfulfilled?: ((page: CursorPage<T>) => TResult1 | PromiseLike<TResult1>) | null,
    onrejected?: ((reason: Reason) => TResult2 | PromiseLike<TResult2>) | null,
  ): Promise<TResult1 | TResult2> {
    return this.load().then(onfulfilled, onrejected);
  }

  catch<TResult = never>(
    onrejected?: ((reason: Reason) => TResult | PromiseLike<TResult>) | null,
  ): Promise<CursorPage<T> | TResult> {
    return this.load().catch(onrejected);
  }

  finally(onfinally?: (() => void) | null): Promise<CursorPage<T>> {
    return this.load().finally(onfinally);
  }

  /** Iterates over the items of all pages, in the list's order. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Iterates over the pages. */
  async *pages(): AsyncGenerator<CursorPage<T>, void, undefined> {
    const requestedCursors = new Set();
    for (let page = await this.load(); ;) {
      const { nextCursor } = page;
      if (nextCursor === null) return yield page;
      const prefetchedPage = this.prefetch ? this.load(nextCursor, requestedCursors) : undefined;
      // Awaited later, or never when the iteration is left early: a failure must not be reported as unhandled.
      prefetchedPage?.catch(() => undefined);
      yield page;
      page = await (prefetchedPage ?? this.load(nextCursor, requestedCursors));
    }
  }

  /** Returns the first page together with its HTTP response. */
  withResponse(): Promise<WithResponse<CursorPage<T>>> {
    return this.load().withResponse();
  }

  /** Returns the `Response` of the first page with its body unread, as other calls do. */
  asResponse(): Promise<Response> {
    return this.load().asResponse();
  }

  /** Collects the items of all pages, or the first `limit` of them. Without `prefetch`, no page after those is requested. */
  async toArray(options: { limit?: number | undefined } = {}): Promise<T[]> {
    assertOptions(options, "toArray", () => InvalidArgumentError);
    const { limit = Infinity, ...unknownOptions } = options;
    for (const name in unknownOptions) throw new InvalidArgumentError(name, "is not an option");
    const items: T[] = [];
    for await (const item of validateLimit("limit", { limit }) ? this : [])
      if (items.push(item) >= limit) break;
    return items;
  }
}

/** A list without cursors whose only page has more than its items. */
export type WholeList<T, Page> = Pick<CursorPages<T>, "asResponse" | "toArray"> &
  AsyncIterable<T> &
  Promise<Page> & {
    /** Iterates over the only page. */
    pages(): AsyncGenerator<Page, void, undefined>;
    /** Returns the page together with its HTTP response. */
    withResponse(): Promise<WithResponse<Page>>;
  };

/** Reads a page from a body. No requested cursor may be its next one. */
export type ReadPage = <T>(
  body: unknown,
  requestedCursors: RequestedCursors,
) => ReturnType<ReadBody<CursorPage<T>>>;

/** Lists by a call. */
export const listPages = <T>(
  request: RequestFunction,
  call: (Call | ContractCall) & ListQuery,
  options: ListOptions | undefined,
  read: ReadPage,
): CursorPages<T> => {
  let firstPage: ApiPromise<CursorPage<T>> | undefined;
  const load = (
    cursor = call.query?.cursor,
    requestedCursors: RequestedCursors = new Set(),
  ): ApiPromise<CursorPage<T>> => {
    requestedCursors.add(call.query?.cursor).add(cursor);
    return request({ ...call, query: { ...call.query, cursor } }, options, (body) =>
      read<T>(body, requestedCursors),
    );
  };
  const loadOnce: LoadPage<T> = (cursor, requestedCursors) =>
    cursor ? load(cursor, requestedCursors) : (firstPage ??= load());
  return new CursorPages(loadOnce, options?.prefetch);
};

/** Reads a body of the form `{ data, pagination }`. Returns undefined for a body of another form. */
export const readPage: ReadPage = <T>(body: unknown, requestedCursors: RequestedCursors) => {
  // Every field is checked before it is used; the contract defines the items.
  const { data, pagination } = (body ?? {}) as Partial<ListEnvelope<T>>;
  if (!Array.isArray(data) || typeof pagination?.hasMore !== "boolean") return undefined;
  const { hasMore, nextCursor } = pagination;
  if (!hasMore) return { value: { data, nextCursor: null, hasMore } };
  if (!nextCursor || typeof nextCursor !== "string") return { fault: "cursor_missing" };
  if (requestedCursors.has(nextCursor)) return { fault: "cursor_repeated" };
  requestedCursors.empty = data[0] ? 0 : (requestedCursors.empty ?? 0) + 1;
  if (requestedCursors.size > maxPages || requestedCursors.empty >= maxEmptyPages)
    return { fault: "endless" };
  return { value: { data, nextCursor, hasMore } };
};

/** Reads a page of a list that may have no cursors, with all that it has besides its items. */
export const readAnyPage: ReadPage = (body, requestedCursors) => {
  // The check below makes it an array. The caller names the type of its items.
  const { data, pagination } = (body ?? {}) as {
    data?: never[];
    pagination?: { hasMore?: unknown; nextCursor?: unknown };
  };
  if (!Array.isArray(data) || pagination?.nextCursor !== undefined) return readPage(body, requestedCursors);
  return {
    value: Object.assign({}, body, { data, nextCursor: null, hasMore: pagination?.hasMore === true }),
  };
};

interface ListEnvelope<T> {
  data: T[];
  pagination: { nextCursor?: string | null; hasMore?: boolean } | null;
}
