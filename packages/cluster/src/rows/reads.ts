import type { Row } from "@mgmt/engine";
import type { LoadResult, KeyValue, LoadedRow, Lookup, Preload } from "@mgmt/engine/internal";
import { escapeLiteral } from "pg";
import { type Columns, type Statement, toArrayLiteral } from "./batch.js";
import { toStorable } from "./json-text.js";
import type { RowCache } from "./row-cache.js";
import { isArrayField, sqlName } from "./tables.js";

/** A statement that serves one or more preloads. */
export interface ReadStatement extends Statement {
  readonly preloads: readonly Preload[];
  /** Converts the result of the statement to the result of each preload. */
  readonly rowsOf: (results: readonly Columns[], rows: RowCache) => LoadResult[];
}

/**
 * Returns the statements that load the preloads. Preloads that differ only in the value of one field share a statement.
 *
 * @param parameters those of all statements. Default: each statement has its own.
 */
export const readsOf = (
  schema: string,
  preloads: readonly Preload[],
  parameters?: Parameters,
): ReadStatement[] => {
  const groups = new Map<string | Preload, Preload[]>();
  for (const preload of preloads) {
    const key = sharedKey(preload) ?? preload;
    const group = groups.get(key);
    if (group) group.push(preload);
    else groups.set(key, [preload]);
  }
  return Array.from(groups.values(), (group) => readOf(schema, group, parameters ?? new Parameters()));
};

/** Returns one statement for several reads, whose rows have the index of their read as a fourth column. */
export const uniteReads = (reads: readonly ReadStatement[], { values }: Parameters): Statement => ({
  text: reads
    .map(({ text }, index) => `select *, ${String(index)} as read from (${text}) as r${String(index)}`)
    .join(" union all "),
  values,
});

/** Returns the same text for preloads that one statement can serve; undefined when no other preload can share it. */
const sharedKey = (preload: Preload): string | undefined => {
  if (preload.read === "row") return `row ${preload.table}`;
  const field = findOnlyField(preload);
  return field === undefined ? undefined : `range ${preload.table} ${field}`;
};

/** Returns the field of a preload for all rows with one text in one field; undefined for other preloads. */
const findOnlyField = (preload: Preload): string | undefined => {
  if (
    preload.read !== "range" ||
    preload.after !== null ||
    preload.limit !== null ||
    preload.newestFirst ||
    preload.containing
  )
    return undefined;
  const [entry, ...otherFields] = Object.entries(preload.where).filter(([, value]) => value !== undefined);
  return entry && otherFields.length === 0 && typeof entry[1] === "string" && !isArrayField(entry[0])
    ? entry[0]
    : undefined;
};

const readOf = (schema: string, group: readonly Preload[], parameters: Parameters): ReadStatement => {
  const [preload] = group;
  if (preload === undefined) throw new Error("A read needs something that is wanted");
  const table = `${schema}.${sqlName(preload.table)}`;
  const select = `select seq, xmin, doc from ${table}`;
  const { values } = parameters;
  const rows = (text: string): ReadStatement => ({
    text,
    values,
    preloads: group,
    rowsOf: (results, cache) => [results.map((columns) => cache.load(preload.table, columns))],
  });
  const readNumber = (text: string): ReadStatement => ({
    text,
    values,
    preloads: group,
    rowsOf: ([columns]) => [Number(columns?.[0])],
  });
  const readByValue = (
    text: string,
    wanted: readonly string[],
    valueOf: (loaded: LoadedRow) => string,
  ): ReadStatement => ({
    text,
    values,
    preloads: group,
    rowsOf: (results, cache) => {
      const rowsByValue = new Map<string, LoadedRow[]>();
      for (const value of wanted) rowsByValue.set(value, []);
      for (const columns of results) {
        const loaded = cache.load(preload.table, columns);
        rowsByValue.get(valueOf(loaded))?.push(loaded);
      }
      return wanted.map((value) => rowsByValue.get(value) ?? []);
    },
  });
  switch (preload.read) {
    case "row": {
      const ids = group.flatMap((member) => (member.read === "row" ? [member.id] : []));
      return readByValue(`${select} where id ${parameters.among(ids)}`, ids, ({ row }) => row.id);
    }
    case "range": {
      const field = findOnlyField(preload);
      if (field !== undefined && group.length > 1) {
        const wanted = group.flatMap((member) =>
          member.read === "range" ? [String(member.where[field])] : [],
        );
        const text = `${select} where ${sqlName(field)} ${parameters.among(wanted)} order by seq`;
        return readByValue(text, wanted, ({ row }) => String((row as Row & Record<string, unknown>)[field]));
      }
      const { where, containing = {}, after, limit, newestFirst } = preload;
      const conditions = [
        ...conditionsOf(where, parameters),
        ...Object.entries(containing).map(
          ([name, text]) => `strpos(doc->>${quoteLiteral(name)}, ${parameters.text(text)}) > 0`,
        ),
        ...(after === null
          ? []
          : [`seq ${newestFirst ? "<" : ">"} ${parameters.readNumber(after, "bigint")}`]),
      ];
      const order = `order by seq${newestFirst ? " desc" : ""}${limitClause(limit, parameters)}`;
      return rows(`${select} where ${joinConditions(conditions)} ${order}`);
    }
    case "referenced": {
      const { table: from, id, field } = preload.by;
      const ids = `select ${sqlName(field)} from ${schema}.${sqlName(from)} where id = ${parameters.text(id)}`;
      return rows(`${select} where id = (${ids})`);
    }
    case "expired": {
      const isExpired = `expires_at <= ${parameters.readNumber(preload.time)}`;
      return rows(
        `${select} where ${isExpired} order by expires_at, seq${limitClause(preload.limit, parameters)}`,
      );
    }
    case "count":
      return readNumber(
        `select count(*), null::xid, null::jsonb from ${table} where ${joinConditions(conditionsOf(preload.where, parameters))}`,
      );
    case "sequence":
      return readNumber(`select ${nextSequence(table)}, null::xid, null::jsonb`);
    case "hit":
      return {
        text: countRequest(table, preload, parameters),
        values,
        preloads: group,
        rowsOf: (results) => [results.map(parseWindow)],
      };
  }
};

const limitClause = (limit: number | null, parameters: Parameters): string =>
  limit === null ? "" : ` limit ${parameters.readNumber(limit, "bigint")}`;

/** The parameters of a statement. */
export class Parameters {
  readonly values: string[] = [];

  /** Adds a string, and returns the expression for it. */
  text(text: string): string {
    return `${this.#add(toStorable(text))}::text`;
  }

  readNumber(value: number, type: "bigint" | "double precision" = "double precision"): string {
    if (!Number.isFinite(value))
      throw new Error(`${String(value)} cannot be compared with a number in Postgres`);
    return `${this.#add(String(value))}::${type}`;
  }

  texts(texts: readonly string[]): string {
    return `${this.#add(toArrayLiteral(texts.map(toStorable)))}::text[]`;
  }

  /** Returns the rest of a condition that is true for these strings. */
  among(texts: readonly string[]): string {
    const [only, ...otherFields] = texts;
    return only !== undefined && otherFields.length === 0
      ? `= ${this.text(only)}`
      : `= any (${this.texts(texts)})`;
  }

  #add(value: string): string {
    this.values.push(value);
    return `$${String(this.values.length)}`;
  }
}

/** Number of ended windows that each request deletes, so that they do not accumulate. */
const maxDeletedWindows = 2;

/**
 * Counts a request in a window, or in a new one if the window has ended, or if the clock was moved back by more than a window since
 * it started: the clocks of several processes differ by less. Then deletes other ended windows, skipping those that another request
 * has locked.
 */
const countRequest = (
  table: string,
  { id, now, length, maxCount }: Extract<Preload, { read: "hit" }>,
  parameters: Parameters,
): string => {
  const [time, endsAt] = [parameters.readNumber(now), parameters.readNumber(now + length)];
  const isWindowOver = `w.ends_at <= ${time} or w.ends_at > ${parameters.readNumber(now + 2 * length)}`;
  return `with hit as (
    insert into ${table} as w values (${parameters.text(id)}, 1, ${endsAt})
      on conflict (id) do update set
        count = case when ${isWindowOver} then 1 else least(w.count + 1, ${parameters.readNumber(maxCount, "bigint")}) end,
        ends_at = case when ${isWindowOver} then excluded.ends_at else w.ends_at end
      returning id, count, ends_at),
  deleted as (
    delete from ${table} where id in (
      select id from ${table} where ends_at <= ${time} and id not in (select id from hit)
        order by ends_at limit ${String(maxDeletedWindows)} for update skip locked))
  select id, count, ends_at from hit`;
};

const parseWindow = ([id, count, endsAt]: Columns): LoadedRow => {
  const row = { id: String(id), createdAt: 0, count: Number(count), endsAt: Number(endsAt) };
  return { sequence: 0, version: "", row };
};

/** Returns the expression for the next sequence number of a table. */
export const nextSequence = (table: string): string => `nextval(pg_get_serial_sequence('${table}', 'seq'))`;

/** Returns a string as an SQL literal. */
export const quoteLiteral = (text: string): string => escapeLiteral(toStorable(text));

const joinConditions = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "true" : conditions.join(" and ");

const conditionsOf = (where: Lookup, parameters: Parameters): string[] =>
  Object.entries(where).flatMap(([field, value]) =>
    value === undefined ? [] : [conditionOf(field, value, parameters)],
  );

const conditionOf = (
  field: string,
  value: KeyValue | readonly KeyValue[],
  parameters: Parameters,
): string => {
  const column = sqlName(field);
  // `Array.isArray` does not narrow readonly arrays.
  const values = Array.isArray(value) ? (value as readonly KeyValue[]) : [value as KeyValue];
  const texts = values.filter((part) => part !== null).map(String);
  if (isArrayField(field)) return `${column} ?| ${parameters.texts(texts)}`;
  const alternatives = [
    ...(texts.length === 0 ? [] : [`${column} ${parameters.among(texts)}`]),
    ...(values.includes(null) ? [`${column} is null`] : []),
  ];
  return alternatives.length === 0 ? "false" : `(${alternatives.join(" or ")})`;
};
