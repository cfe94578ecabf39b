import { rowsOnly } from "../errors/dump-errors.js";
import type { ScriptStatement } from "./sql-script.js";

/** Returns what to run in place of a statement, or undefined to pass over it. */
export type Adapt = (statement: ScriptStatement) => Uint8Array | undefined;

/**
 * Changes the output of `pg_dump --clean --if-exists` or pg_restore so that it also drops objects that depend on those of the dump.
 * Otherwise, it fails for each newer view or foreign key, and for the keys of partitions, which it drops before their tables
 * (https://www.postgresql.org/docs/current/app-pgdump.html). Schemas and extensions stay, because the objects of others that are in them or
 * depend on them would be dropped, too.
 *
 * @param name the name of the dump in messages.
 * @returns a function for all statements in their order. It throws `db:rows_only` before rows of a dump that drops no tables.
 */
export const replaceObjects = (name: string): Adapt => {
  let isDropping = true;
  let dropsTables = false;
  return ({ bytes, words, readsRows }) => {
    const phrase = words.join(" ");
    if (isDropping) {
      if (words[0] === "drop") {
        dropsTables ||= /^drop (foreign )?table\b/.test(phrase);
        return goesWithOthers.test(phrase) ? undefined : withCascade(bytes);
      }
      // Constraints and defaults go with their tables. pg_dump replaces a view by an empty one so that it can drop the objects that the
      // view uses first.
      if (/^(alter|create or replace view)\b/.test(phrase)) return undefined;
      isDropping = /^(set|select pg_catalog (set_config|lo_unlink))\b/.test(phrase);
    }
    const writesRows = readsRows || /^(insert|select pg_catalog setval)\b/.test(phrase);
    if (writesRows && !dropsTables) throw rowsOnly(name);
    return /^create schema\b(?! if not exists\b)/.test(phrase)
      ? edited(bytes, /^CREATE SCHEMA/, "$& IF NOT EXISTS")
      : bytes;
  };
};

/** Statements that drop an object which goes with its table or server, or which stays. */
const goesWithOthers = /^drop (index|trigger|rule|policy|user mapping|schema|extension)\b/;

const withCascade = (bytes: Uint8Array): Uint8Array => edited(bytes, /;?$/, " CASCADE;");

/** Edits a statement. Each byte is one character, whatever the encoding is. */
const edited = (bytes: Uint8Array, pattern: RegExp, replacement: string): Uint8Array =>
  Buffer.from(Buffer.from(bytes).toString("latin1").replace(pattern, replacement), "latin1");
