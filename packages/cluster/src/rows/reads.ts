import { groupBy } from "@mgmt/internal/values/group-by";
import type { LoadResult, KeyValue, LoadedRow, Lookup, Preload, Row } from "@mgmt/engine/internal";
import { escapeLiteral } from "pg";
import { type RowValues, type Statement, toArrayLiteral } from "./batch.js";
import { toStorable } from "./json-text.js";
import type { RowCache } from "./row-cache.js";
import { isArrayField, toSqlName } from "./sql-names.js";

/** A statement that serves one or more preloads. */
export interface ReadStatement extends Statement {
  readonly preloads: readonly Preload[];
  /** Converts the result of the statement to the result of each preload. */
  readonly toLoadResults: (rows: readonly RowValues[], rowCache: RowCache) => LoadResult[];
}

/**
 * Returns the statements that load the preloads. Preloads that differ only in the value of one field share a statement.
 *
 * @param parameters the parameters of all statements. Default: each statement has its own.
 */
export const planReads = (
  schema: string,
  preloads: readonly Preload[],
  parameters?: StatementParameters,
): ReadStatement[] => {
  const groups = groupBy(preloads, (preload) => buildGroupKey(preload) ?? preload);
  return Array.from(groups.values(), (group) =>
    buildReadStatement(schema, group, parameters ?? new StatementParameters()),
  );
};

/**
 * Returns one statement for several reads, whose rows have the index of their read as a fourth column. Postgres appends the results of
 * `union all` to each other, so the rows of each read keep their order.
 */
export const buildUnionStatement = (
  reads: readonly ReadStatement[],
  { values }: StatementParameters,
): Statement => ({
  text: reads
    .map(({ text }, index) => `select *, ${String(index)} as read from (${text}) as r${String(index)}`)
    .join(" union all "),
  values,
});

/** Returns the same text for preloads that one statement can serve; undefined when no other preload can share it. */
const buildGroupKey = (preload: Preload): string | undefined => {
  if (preload.read === "row") return `row ${preload.table}`;
  const field = findSingleTextField(preload);
  return field === undefined ? undefined : `range ${preload.table} ${field}`;
};

/** Returns the field of a preload for all rows with one text in one field; undefined for other preloads. */
const findSingleTextField = (preload: Preload): string | undefined => {
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

const buildReadStatement = (
  schema: string,
  group: readonly Preload[],
  parameters: StatementParameters,
): ReadStatement => {
  const [firstPreload] = group;
  if (firstPreload === undefined) throw new Error("A statement needs at least one preload");
  const table = `${schema}.${toSqlName(firstPreload.table)}`;
  const selectClause = `select seq, xmin, doc from ${table}`;
  const { values } = parameters;
  const createRowsRead = (text: string): ReadStatement => ({
    text,
    values,
    preloads: group,
    toLoadResults: (rows, rowCache) => [rows.map((columns) => rowCache.getRow(firstPreload.table, columns))],
  });
  const createNumberRead = (text: string): ReadStatement => ({
    text,
    values,
    preloads: group,
    toLoadResults: ([columns]) => [Number(columns?.[0])],
  });
  const createReadByValue = (
    text: string,
    requestedValues: readonly string[],
    getValue: (loadedRow: LoadedRow) => string,
  ): ReadStatement => ({
    text,
    values,
    preloads: group,
    toLoadResults: (rows, rowCache) => {
      const rowsByValue = new Map<string, LoadedRow[]>();
      for (const value of requestedValues) rowsByValue.set(value, []);
      for (const columns of rows) {
        const loadedRow = rowCache.getRow(firstPreload.table, columns);
        rowsByValue.get(getValue(loadedRow))?.push(loadedRow);
      }
      return requestedValues.map((value) => rowsByValue.get(value) ?? []);
    },
  });
  switch (firstPreload.read) {
    case "row": {
      const ids = group.flatMap((member) => (member.read === "row" ? [member.id] : []));
      return createReadByValue(
        `${selectClause} where id ${parameters.buildEqualsAnyOf(ids)}`,
        ids,
        ({ row }) => row.id,
      );
    }
    case "range": {
      const field = findSingleTextField(firstPreload);
      if (field !== undefined && group.length > 1) {
        const fieldValues = group.flatMap((member) =>
          member.read === "range" ? [String(member.where[field])] : [],
        );
        const text = `${selectClause} where ${toSqlName(field)} ${parameters.buildEqualsAnyOf(fieldValues)} order by seq`;
        return createReadByValue(text, fieldValues, ({ row }) =>
          String((row as Row & Record<string, unknown>)[field]),
        );
      }
      const { where, containing = {}, after, limit, newestFirst } = firstPreload;
      const conditions = [
        ...buildConditions(where, parameters),
        ...Object.entries(containing).map(
          ([name, text]) => `strpos(doc->>${quoteStorableLiteral(name)}, ${parameters.addText(text)}) > 0`,
        ),
        ...(after === null
          ? []
          : [`seq ${newestFirst ? "<" : ">"} ${parameters.addNumber(after, "bigint")}`]),
      ];
      const orderAndLimitClause = `order by seq${newestFirst ? " desc" : ""}${buildLimitClause(limit, parameters)}`;
      return createRowsRead(`${selectClause} where ${joinConditions(conditions)} ${orderAndLimitClause}`);
    }
    case "referenced": {
      const { table: fromTable, id, field } = firstPreload.by;
      const idSubquery = `select ${toSqlName(field)} from ${schema}.${toSqlName(fromTable)} where id = ${parameters.addText(id)}`;
      return createRowsRead(`${selectClause} where id = (${idSubquery})`);
    }
    case "expired": {
      const expiredCondition = `expires_at <= ${parameters.addNumber(firstPreload.time)}`;
      return createRowsRead(
        `${selectClause} where ${expiredCondition} order by expires_at, seq${buildLimitClause(firstPreload.limit, parameters)}`,
      );
    }
    case "count":
      return createNumberRead(
        `select count(*), null::xid, null::jsonb from ${table} where ${joinConditions(buildConditions(firstPreload.where, parameters))}`,
      );
    case "sequence":
      return createNumberRead(`select ${buildNextSequenceSql(table)}, null::xid, null::jsonb`);
    case "hit":
      return {
        text: buildRateLimitHitSql(table, firstPreload, parameters),
        values,
        preloads: group,
        toLoadResults: (results) => [results.map(parseRateWindow)],
      };
  }
};

const buildLimitClause = (limit: number | null, parameters: StatementParameters): string =>
  limit === null ? "" : ` limit ${parameters.addNumber(limit, "bigint")}`;

/** The parameters of a statement. */
export class StatementParameters {
  readonly values: string[] = [];

  /** Adds a string, and returns the expression for it. */
  addText(text: string): string {
    return `${this.#add(toStorable(text))}::text`;
  }

  addNumber(value: number, type: "bigint" | "double precision" = "double precision"): string {
    if (!Number.isFinite(value))
      throw new Error(`${String(value)} cannot be compared with a number in Postgres`);
    return `${this.#add(String(value))}::${type}`;
  }

  addTexts(texts: readonly string[]): string {
    return `${this.#add(toArrayLiteral(texts.map(toStorable)))}::text[]`;
  }

  /** Returns the rest of a condition that is true for these strings. */
  buildEqualsAnyOf(texts: readonly string[]): string {
    const [onlyText, ...otherTexts] = texts;
    return onlyText !== undefined && otherTexts.length === 0
      ? `= ${this.addText(onlyText)}`
      : `= any (${this.addTexts(texts)})`;
  }

  #add(value: string): string {
    this.values.push(value);
    return `$${String(this.values.length)}`;
  }
}

/** Number of ended windows that each request deletes, so that they do not accumulate. */
const maxDeletedWindows = 2;

/**
 * Counts a request in a window, or in a new one if the window is over, or if the clock was moved back by more than a window since it
 * started: the clocks of several processes differ by less. Then deletes other ended windows, skipping those that another request has
 * locked.
 */
const buildRateLimitHitSql = (
  table: string,
  { id, now, length, maxCount }: Extract<Preload, { read: "hit" }>,
  parameters: StatementParameters,
): string => {
  const [time, endsAt] = [parameters.addNumber(now), parameters.addNumber(now + length)];
  const windowOverCondition = `w.ends_at <= ${time} or w.ends_at > ${parameters.addNumber(now + 2 * length)}`;
  return `with hit as (
    insert into ${table} as w values (${parameters.addText(id)}, 1, ${endsAt})
      on conflict (id) do update set
        count = case when ${windowOverCondition} then 1 else least(w.count + 1, ${parameters.addNumber(maxCount, "bigint")}) end,
        ends_at = case when ${windowOverCondition} then excluded.ends_at else w.ends_at end
      returning id, count, ends_at),
  deleted as (
    delete from ${table} where id in (
      select id from ${table} where ends_at <= ${time} and id not in (select id from hit)
        order by ends_at limit ${String(maxDeletedWindows)} for update skip locked))
  select id, count, ends_at from hit`;
};

const parseRateWindow = ([id, count, endsAt]: RowValues): LoadedRow => {
  const row = { id: String(id), createdAt: 0, count: Number(count), endsAt: Number(endsAt) };
  return { sequence: 0, version: "", row };
};

/** Returns the expression for the next sequence number of a table. */
export const buildNextSequenceSql = (table: string): string =>
  `nextval(pg_get_serial_sequence('${table}', 'seq'))`;

/** Returns a string as an SQL literal. */
export const quoteStorableLiteral = (text: string): string => escapeLiteral(toStorable(text));

const joinConditions = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "true" : conditions.join(" and ");

const buildConditions = (where: Lookup, parameters: StatementParameters): string[] =>
  Object.entries(where).flatMap(([field, value]) =>
    value === undefined ? [] : [buildCondition(field, value, parameters)],
  );

const buildCondition = (
  field: string,
  value: KeyValue | readonly KeyValue[],
  parameters: StatementParameters,
): string => {
  const column = toSqlName(field);
  // `Array.isArray` does not narrow readonly arrays.
  const values = Array.isArray(value) ? (value as readonly KeyValue[]) : [value as KeyValue];
  const texts = values.filter((part) => part !== null).map(String);
  if (isArrayField(field)) return `${column} ?| ${parameters.addTexts(texts)}`;
  const alternatives = [
    ...(texts.length === 0 ? [] : [`${column} ${parameters.buildEqualsAnyOf(texts)}`]),
    ...(values.includes(null) ? [`${column} is null`] : []),
  ];
  return alternatives.length === 0 ? "false" : `(${alternatives.join(" or ")})`;
};
