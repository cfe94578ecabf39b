import type { Found, KeyValue, Loaded, Lookup, Row, Want } from "@mgmt/engine";
import { escapeLiteral } from "pg";
import { parseJson, toStorable } from "./json-text.js";
import { isArrayField, sqlName } from "./tables.js";

/** A row of a result. */
export interface Result {
  readonly seq: string;
  readonly version: string;
  readonly doc: string;
}

/** A statement that serves one or more wants. */
export interface Read {
  readonly text: string;
  readonly wants: readonly Want[];
  /** Converts the result of the statement to what was found for each of the wants. */
  readonly found: (results: readonly Result[]) => Found[];
}

/** Returns the statements that load what is wanted. Wants that differ only in the value of one field share a statement. */
export const readsOf = (schema: string, wants: readonly Want[]): Read[] => {
  const groups = new Map<string, Want[]>();
  for (const want of wants) {
    const key = sharedKey(want) ?? JSON.stringify(want);
    groups.set(key, [...(groups.get(key) ?? []), want]);
  }
  return [...groups.values()].map((group) => readOf(schema, group));
};

/** Returns the same text for wants that one statement can serve; undefined when no other want can share it. */
const sharedKey = (want: Want): string | undefined => {
  if (want.read === "row") return `row ${want.table}`;
  const field = onlyField(want);
  return field === undefined ? undefined : `range ${want.table} ${field}`;
};

/** Returns the field of a want for all rows with one text in one field; undefined for other wants. */
const onlyField = (want: Want): string | undefined => {
  if (
    want.read !== "range" ||
    want.after !== null ||
    want.limit !== null ||
    want.newestFirst ||
    want.containing
  )
    return undefined;
  const [entry, ...others] = Object.entries(want.where).filter(([, value]) => value !== undefined);
  return entry && others.length === 0 && typeof entry[1] === "string" && !isArrayField(entry[0])
    ? entry[0]
    : undefined;
};

const readOf = (schema: string, group: readonly Want[]): Read => {
  const [want] = group;
  if (want === undefined) throw new Error("A read needs something that is wanted");
  const table = `${schema}.${sqlName(want.table)}`;
  const select = `select seq, xmin::text as version, doc::text as doc from ${table}`;
  const one = (text: string, found: (results: readonly Result[]) => Found): Read => ({
    text,
    wants: group,
    found: (results) => [found(results)],
  });
  switch (want.read) {
    case "row": {
      const ids = group.flatMap((each) => (each.read === "row" ? [each.id] : []));
      const split = splitBy(ids, ({ row }) => row.id);
      return { text: `${select} where id ${among(ids)}`, wants: group, found: split };
    }
    case "range": {
      const field = onlyField(want);
      if (field !== undefined && group.length > 1) {
        const values = group.flatMap((each) => (each.read === "range" ? [String(each.where[field])] : []));
        const split = splitBy(values, ({ row }) => String((row as Row & Record<string, unknown>)[field]));
        const text = `${select} where ${sqlName(field)} ${among(values)} order by seq`;
        return { text, wants: group, found: split };
      }
      const { where, containing = {}, after, limit, newestFirst } = want;
      const conditions = [
        ...conditionsOf(where),
        ...Object.entries(containing).map(
          ([name, text]) => `strpos(doc->>${literal(name)}, ${literal(text)}) > 0`,
        ),
        ...(after === null ? [] : [`seq ${newestFirst ? "<" : ">"} ${number(after)}`]),
      ];
      const order = `order by seq${newestFirst ? " desc" : ""}${limitOf(limit)}`;
      return one(`${select} where ${all(conditions)} ${order}`, (results) => results.map(loadedOf));
    }
    case "referenced": {
      const { table: from, id, field } = want.by;
      const ids = `select ${sqlName(field)} from ${schema}.${sqlName(from)} where id = ${literal(id)}`;
      return one(`${select} where id = (${ids})`, (results) => results.map(loadedOf));
    }
    case "expired":
      return one(
        `${select} where expires_at <= ${number(want.time)} order by expires_at, seq${limitOf(want.limit)}`,
        (results) => results.map(loadedOf),
      );
    case "count":
      return one(`select count(*) as seq from ${table} where ${all(conditionsOf(want.where))}`, ([row]) =>
        Number(row?.seq),
      );
    case "sequence":
      return one(`select ${nextSequence(table)} as seq`, ([row]) => Number(row?.seq));
    case "hit":
      return one(hitOf(table, want), (results) => results.map(loadedOf));
  }
};

const limitOf = (limit: number | null): string => (limit === null ? "" : ` limit ${number(limit)}`);

/** Number of ended windows that each request deletes, so that they do not accumulate. */
const maxDeleted = 2;

/**
 * Counts a request in a window, or in a new one if the window has ended, or if the clock was moved back by more than a window since
 * it started: the clocks of several processes differ by less. Then deletes other ended windows, skipping those that another request
 * has locked.
 */
const hitOf = (table: string, { id, now, length, maxCount }: Extract<Want, { read: "hit" }>): string => {
  const isOver = `w.ends_at <= ${number(now)} or w.ends_at > ${number(now + 2 * length)}`;
  return `with hit as (
    insert into ${table} as w values (${literal(id)}, 1, ${number(now + length)})
      on conflict (id) do update set
        count = case when ${isOver} then 1 else least(w.count + 1, ${number(maxCount)}) end,
        ends_at = case when ${isOver} then excluded.ends_at else w.ends_at end
      returning id, count, ends_at),
  deleted as (
    delete from ${table} where id in (
      select id from ${table} where ends_at <= ${number(now)} and id not in (select id from hit)
        order by ends_at limit ${String(maxDeleted)} for update skip locked))
  select 0 as seq, '' as version, jsonb_build_object(
    'id', id, 'createdAt', 0, 'count', count, 'endsAt', ends_at)::text as doc from hit`;
};

/** Returns the expression for the next sequence number of a table. */
export const nextSequence = (table: string): string => `nextval(pg_get_serial_sequence('${table}', 'seq'))`;

/** Returns a text as an SQL literal. */
export const literal = (text: string): string => escapeLiteral(toStorable(text));

const number = (value: number): string => {
  if (!Number.isFinite(value))
    throw new Error(`${String(value)} cannot be compared with a number in Postgres`);
  return String(value);
};

const loadedOf = ({ seq, version, doc }: Result): Loaded => ({
  sequence: Number(seq),
  version,
  // Only rows are stored.
  row: parseJson(doc) as Row,
});

/** Returns a function that assigns the rows of a result to the wants, each of which asked for one value. */
const splitBy =
  (values: readonly string[], valueOf: (loaded: Loaded) => string) =>
  (results: readonly Result[]): Found[] => {
    const groups = new Map<string, Loaded[]>(values.map((value) => [value, []]));
    for (const result of results) {
      const loaded = loadedOf(result);
      groups.get(valueOf(loaded))?.push(loaded);
    }
    return values.map((value) => groups.get(value) ?? []);
  };

const among = (texts: readonly string[]): string => `= any (array[${texts.map(literal).join(", ")}]::text[])`;

const all = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "true" : conditions.join(" and ");

const conditionsOf = (where: Lookup): string[] =>
  Object.entries(where).flatMap(([field, value]) => (value === undefined ? [] : [conditionOf(field, value)]));

const conditionOf = (field: string, value: KeyValue | readonly KeyValue[]): string => {
  const column = sqlName(field);
  // `Array.isArray` does not narrow readonly arrays.
  const values = Array.isArray(value) ? (value as readonly KeyValue[]) : [value as KeyValue];
  const texts = values.filter((each) => each !== null).map(String);
  if (isArrayField(field)) return `${column} ?| array[${texts.map(literal).join(", ")}]::text[]`;
  const [only, ...others] = texts;
  const equal =
    only === undefined
      ? []
      : [others.length === 0 ? `${column} = ${literal(only)}` : `${column} ${among(texts)}`];
  const either = [...equal, ...(values.includes(null) ? [`${column} is null`] : [])];
  return either.length === 0 ? "false" : `(${either.join(" or ")})`;
};
