import { describe, expect, it } from "vitest";
import { parsePostgresError } from "./parse-postgres-error.js";
import { conflict, dump, duplicate, ended, verbose } from "../../test/errors/client-output.js";

const german = `psql:<stdin>:1: FEHLER:  42P01: Relation »nichts« existiert nicht
LINE 1: select * from nichts;
                      ^
LOCATION:  parserOpenTable, parse_relation.c:1392
`;

describe("what a client program says", () => {
  it.each([
    [
      "pg_restore",
      duplicate,
      { problem: 'could not execute query: ERROR: relation "notes" already exists', sqlState: "42P07" },
    ],
    [
      "pg_restore",
      conflict,
      {
        problem:
          'COPY failed for table "notes": ERROR: duplicate key value violates unique constraint "notes_pkey"',
        detail: "Key (id)=(1) already exists.",
        sqlState: "23505",
      },
    ],
    [
      "psql",
      verbose,
      {
        problem:
          'psql:<stdin>:2: ERROR: insert or update on table "a" violates foreign key constraint "a_b_fkey"',
        detail: 'Key (b)=(7) is not present in table "b".',
        sqlState: "23503",
      },
    ],
    [
      "psql",
      german,
      { problem: "psql:<stdin>:1: ERROR: Relation »nichts« existiert nicht", sqlState: "42P01" },
    ],
    [
      "pg_restore",
      ended,
      {
        problem: "could not execute query: FATAL: terminating connection due to administrator command",
        detail: "The database held 16001 locks of 16000.",
        hint: "Split the transaction.",
        sqlState: "57P01",
      },
    ],
    [
      "pg_dump",
      dump,
      { problem: "query failed: ERROR: permission denied for table secrets", sqlState: "42501" },
    ],
    ["pg_dump", "\r\nsomething else\r\n", { problem: "something else" }],
    ["pg_dump", "", { problem: "no reason given" }],
  ])("of %s is read with its detail and its code", (program, said, message) => {
    expect(parsePostgresError(program, said)).toEqual(message);
  });
});
