import type { ApiPromise, WithResponse } from "./api-promise.js";
import { PagingError } from "./errors/local-errors.js";
import { readLimit } from "./request/settings.js";
import type { TransportResponse } from "./transport/transport.js";

/** One page of a list. */
export interface CursorPage<T> {
  /** The items. A page may be empty and still have a next one. */
  readonly data: T[];
  /** Send it as `cursor` for the next page; null exactly when `hasMore` is false. */
  readonly nextCursor: string | null;
  /** Whether there is a next page. */
  readonly hasMore: boolean;
}

/** Loads one page: the first, or the one at a cursor. `seen` are the cursors of the walk so far. */
type LoadPage<T> = (
  cursor: string | null | undefined,
  seen: ReadonlySet<string>,
) => ApiPromise<CursorPage<T>>;

/**
 * What list methods answer: a promise of the first page, and a way through all of them. No request is sent before it
 * is awaited or walked; the first page is asked for once. Every page is a call of its own, with the same options.
 *
 * The order is that of creation, oldest first, but service tokens come newest first (§ Paging). It is total: nothing is
 * skipped or repeated while items come and go between pages. A walk goes on where another one stopped when its last
 * `nextCursor` is given as `cursor`; cursors outlive the deletion of their item, but belong to one list and its filters.
 *
 * ```ts
 * const page = await client.projects.list({ limit: 10 });
 * for await (const project of client.projects.list()) console.log(project.name);
 * const oldest = await client.projects.list({}, { prefetch: true }).toArray({ limit: 500 });
 * ```
 *
 * Throws `PagingError` when the service repeats a cursor or promises more without one, rather than going in circles.
 */
export class CursorPages<T> implements Promise<CursorPage<T>>, AsyncIterable<T> {
  readonly #load: LoadPage<T>;
  readonly #prefetch: boolean;
  #first: ApiPromise<CursorPage<T>> | undefined;

  constructor(load: LoadPage<T>, prefetch = false) {
    this.#load = load;
    this.#prefetch = prefetch;
  }

  get [Symbol.toStringTag](): string {
    return "CursorPages";
  }

  get then(): Promise<CursorPage<T>>["then"] {
    return (onPage, onError) => this.#firstPage().then(onPage, onError);
  }

  get catch(): Promise<CursorPage<T>>["catch"] {
    return (onError) => this.#firstPage().catch(onError);
  }

  get finally(): Promise<CursorPage<T>>["finally"] {
    return (onSettled) => this.#firstPage().finally(onSettled);
  }

  /** Every item of every page, in the list's order. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<CursorPage<T>, void, undefined> {
    const seen = new Set<string>();
    for (let page = await this.#firstPage(); ;) {
      const { nextCursor } = page;
      if (nextCursor === null) return yield page;
      seen.add(nextCursor);
      const ahead = this.#prefetch ? this.#load(nextCursor, seen) : undefined;
      // It is looked at when its turn comes; a walk that is left before never looks.
      ahead?.catch(() => undefined);
      yield page;
      page = await (ahead ?? this.#load(nextCursor, seen));
    }
  }

  /** The first page together with the answer that it came in. */
  withResponse(): Promise<WithResponse<CursorPage<T>>> {
    return this.#firstPage().withResponse();
  }

  /** The items of all pages, or as many as `limit` says; no page past those is asked for. */
  async toArray({ limit = Infinity }: { limit?: number | undefined } = {}): Promise<T[]> {
    const items: T[] = [];
    if (readLimit("limit", limit) === 0) return items;
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }

  #firstPage(): ApiPromise<CursorPage<T>> {
    return (this.#first ??= this.#load(undefined, new Set()));
  }
}

/** Reads `{ data, pagination }`; undefined when the body is not of that form. */
export const readPage = <T>(
  body: unknown,
  isRepeated: (cursor: string) => boolean,
  answer: TransportResponse,
): { value: CursorPage<T> } | undefined => {
  // Every field is looked at before it is used; what the items are, the contract says.
  const { data, pagination } = (body ?? {}) as Partial<Page<T>>;
  if (!Array.isArray(data) || typeof pagination?.hasMore !== "boolean") return undefined;
  const { hasMore, nextCursor } = pagination;
  if (!hasMore) return { value: { data, nextCursor: null, hasMore } };
  if (typeof nextCursor !== "string" || nextCursor === "") {
    throw broken("there are more items, but no cursor.", answer);
  }
  if (isRepeated(nextCursor)) throw broken("the service repeated a cursor.", answer);
  return { value: { data, nextCursor, hasMore } };
};

const broken = (problem: string, { headers }: TransportResponse): PagingError =>
  new PagingError(problem, headers["x-request-id"]);

interface Page<T> {
  data: T[];
  pagination: { nextCursor?: string | null; hasMore?: boolean } | null;
}
