import type { CollectionName, ExpiringName, Rows, collections } from "./collections.js";
import type { Key, KeyValue } from "./keys.js";
import type { Row } from "./rows.js";

/** Fields to compare, with the values that they equal; an array lists alternatives. */
export type Lookup = Readonly<Record<string, KeyValue | readonly KeyValue[] | undefined>>;

/** Texts that fields contain, case-sensitively. */
export type TextFilter<T> = {
  readonly [F in keyof T as T[F] extends string ? F : never]?: string | undefined;
};

/** Which rows a page has, and where it starts. */
export interface PageRequest<T, Where> {
  readonly where: Where;
  /** Narrows the rows further. This is not a key: the rows of `where` are searched one by one. */
  readonly containing?: TextFilter<T>;
  /** Sequence number that the page starts after, whether or not its row still exists. Default: the start. */
  readonly after?: number | undefined;
  /** Maximum number of rows. */
  readonly limit: number;
  /** Default: oldest first. */
  readonly newestFirst?: boolean;
}

/**
 * The rows of one table, in the order of insertion. Rows are immutable: `update` replaces a row, and rows read before stay as they were.
 * `W` is what `find`, `list`, `count` and `page` may look rows up by; the keys are declared in `collections.ts`.
 */
export interface Collection<T extends Row, Where> {
  /** Number of rows. */
  readonly size: number;
  get(id: string): T | undefined;
  /** Returns the oldest row that matches. */
  find(where: Where): T | undefined;
  /** Returns all rows that match, oldest first. */
  list(where: Where): T[];
  count(where: Where): number;
  listPage(request: PageRequest<T, Where>): T[];
  /** Adds a row and returns it. Throws when its id exists. */
  insert(row: T): T;
  /** Replaces fields of a row and returns the new row. Throws when the id does not exist. */
  update(id: string, changes: Partial<Omit<T, "id">>): T;
  /** Removes a row; does nothing when the id does not exist. */
  delete(id: string): void;
  /**
   * Returns the sequence number of a row: it grows with every insertion and is never reused, so that a cursor outlives its
   * row. Throws when the id does not exist.
   */
  getSequence(id: string): number;
}

export interface ExpiringCollection<T extends Row, Where> extends Collection<T, Where> {
  /**
   * Returns the rows whose `expiresAt`, or `dueAt` for jobs, is at or before `time` (milliseconds since 1970), earliest first; null never
   * expires.
   *
   * @param limit maximum number of rows. Default: all.
   */
  listExpired(time: number, limit?: number): T[];
}

type NamedCollection<Name extends CollectionName> = Name extends ExpiringName
  ? ExpiringCollection<Rows[Name], CollectionLookup<Name>>
  : Collection<Rows[Name], CollectionLookup<Name>>;

type FieldValue<T, F> = F extends keyof T
  ? T[F] extends readonly (infer Item)[]
    ? Item
    : T[F]
  : F extends `${infer Outer}.${infer Inner}`
    ? Outer extends keyof T
      ? T[Outer] extends readonly (infer Item)[]
        ? Inner extends keyof Item
          ? Item[Inner]
          : never
        : never
      : never
    : never;

/** A value, or several of which any may match. */
type OneOrMany<V> = V | readonly V[];

type RequiredFieldsOf<K> = K extends { readonly by: readonly (infer F extends string)[] } ? F : never;
type OptionalFieldsOf<K> = K extends { readonly and: readonly (infer F extends string)[] } ? F : never;

/** The lookups that one key allows. `Fields` are the fields of all keys, which keeps a lookup from combining two keys. */
type LookupBy<T, K, Fields extends string> = K extends Key
  ? { readonly [F in RequiredFieldsOf<K>]: OneOrMany<FieldValue<T, F>> } & {
      readonly [F in OptionalFieldsOf<K>]?: OneOrMany<FieldValue<T, F>> | undefined;
    } & { readonly [F in Exclude<Fields, RequiredFieldsOf<K> | OptionalFieldsOf<K>>]?: undefined }
  : never;

type CollectionKeys<Name extends CollectionName> = (typeof collections)[Name]["keys"][number];

/** Matches every row. */
export type AllRowsLookup = Readonly<Record<string, never>>;

/**
 * The condition of a lookup in a collection: fields that a key declares, each with the value that it equals or an array of such values. A
 * field whose value is undefined is not compared. `{}` matches every row.
 */
export type CollectionLookup<Name extends CollectionName> =
  | AllRowsLookup
  | LookupBy<
      Rows[Name],
      CollectionKeys<Name>,
      RequiredFieldsOf<CollectionKeys<Name>> | OptionalFieldsOf<CollectionKeys<Name>>
    >;

/** The rows of the reference server. */
export type Store = { readonly [Name in CollectionName]: NamedCollection<Name> };
