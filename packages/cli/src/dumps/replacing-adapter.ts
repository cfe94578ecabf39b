import { dumpWithoutTablesError } from "../errors/dump-errors.js";
import type { ScriptStatement } from "./sql-script.js";

/** Returns the SQL to run instead of a statement, or undefined to skip it. */
export type StatementAdapter = (statement: ScriptStatement) => Uint8Array | undefined;

/**
 * Changes the output of `pg_dump --clean --if-exists` or pg_restore so that it also drops objects that depend on the objects of the dump.
 * Otherwise, it fails for each newer view or foreign key, and for the keys of partitions, which it drops before their tables
 * (https://www.postgresql.org/docs/current/app-pgdump.html). Schemas and extensions stay, because the objects of others that are in them or
 * depend on them would be dropped, too.
 *
 * @param dumpName the name of the dump in messages.
 * @returns a function for all statements in their order. It throws `db:rows_only` before rows of a dump that drops no tables.
 */
export const createReplacingAdapter = (dumpName: string): StatementAdapter => {
  let isInDropSection = true;
  let hasDroppedTable = false;
  return ({ bytes, words, isCopyFromStdin }) => {
    const firstWords = words.join(" ");
    if (isInDropSection) {
      if (words[0] === "drop") {
        hasDroppedTable ||= /^drop (foreign )?table\b/.test(firstWords);
        return skippedDropPattern.test(firstWords) ? undefined : appendCascade(bytes);
      }
      // Constraints and defaults go with their tables. pg_dump replaces a view by an empty one so that it can drop the objects that the
      // view uses first.
      if (/^(alter|create or replace view)\b/.test(firstWords)) return undefined;
      isInDropSection = /^(set|select pg_catalog (set_config|lo_unlink))\b/.test(firstWords);
    }
    const insertsData = isCopyFromStdin || /^(insert|select pg_catalog setval)\b/.test(firstWords);
    if (insertsData && !hasDroppedTable) throw dumpWithoutTablesError(dumpName);
    return /^create schema\b(?! if not exists\b)/.test(firstWords)
      ? replaceInStatement(bytes, /^CREATE SCHEMA/, "$& IF NOT EXISTS")
      : bytes;
  };
};

/** Statements that drop an object which goes with its table or server, or which stays. */
const skippedDropPattern = /^drop (index|trigger|rule|policy|user mapping|schema|extension)\b/;

const appendCascade = (bytes: Uint8Array): Uint8Array => replaceInStatement(bytes, /;?$/, " CASCADE;");

/** Edits a statement. Each byte is one character, whatever the encoding is. */
const replaceInStatement = (bytes: Uint8Array, pattern: RegExp, replacement: string): Uint8Array =>
  Buffer.from(Buffer.from(bytes).toString("latin1").replace(pattern, replacement), "latin1");
