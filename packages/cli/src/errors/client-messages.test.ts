import { describe, expect, it } from "vitest";
import { CliError } from "./cli-error.js";
import { parsePostgresError } from "./client-messages.js";
import {
  clientFailedError,
  clientKilledError,
  restoreFailedError,
  unreachableDatabaseError,
} from "./postgres-errors.js";

const duplicate = `pg_restore: while PROCESSING TOC:
pg_restore: from TOC entry 215; 1259 16390 TABLE notes x
pg_restore: error: could not execute query: ERROR:  relation "notes" already exists
Command was: CREATE TABLE public.notes (
    id integer
);
`;
const conflict = `pg_restore: error: COPY failed for table "notes": ERROR:  duplicate key value violates unique constraint "notes_pkey"
DETAIL:  Key (id)=(1) already exists.
CONTEXT:  COPY notes, line 1
`;
const verbose = `psql:<stdin>:2: ERROR:  23503: insert or update on table "a" violates foreign key constraint "a_b_fkey"
DETAIL:  Key (b)=(7) is not present
 in table "b".
LOCATION:  ri_ReportViolation, ri_triggers.c:2612
psql:<stdin>:3: ERROR:  25P02: current transaction is aborted
`;
const german = `psql:<stdin>:1: FEHLER:  42P01: Relation »nichts« existiert nicht
LINE 1: select * from nichts;
                      ^
LOCATION:  parserOpenTable, parse_relation.c:1392
`;
const ended = `pg_restore: error: could not execute query: FATAL:  terminating connection due to administrator command
DETAIL:  The database held 16001 locks of 16000.
HINT:  Split the transaction.
server closed the connection unexpectedly
	This probably means the server terminated abnormally
	before or while processing the request.
`;
const dump = `pg_dump: error: query failed: ERROR:  permission denied for table secrets
pg_dump: detail: Query was: LOCK TABLE public.secrets IN ACCESS SHARE MODE
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
        advice: "Split the transaction.",
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

const hintOf = (error: unknown): string => (error instanceof CliError ? (error.hint ?? "") : "");

describe("the hint for a failed program", () => {
  it("suggests --clean only for what exists already", () => {
    const failed = (said: string, suggests = true): unknown =>
      restoreFailedError(clientFailedError("pg_restore", said), "db_1", suggests);
    expect(hintOf(failed(duplicate))).toMatch(/^Nothing was changed in database db_1\. .*--clean/);
    expect(hintOf(failed(duplicate, false))).not.toContain("--clean");
    for (const said of [conflict, ended, verbose, dump, "", "pg_restore: error: unexpected end of file"]) {
      expect(hintOf(failed(said))).not.toContain("--clean");
      expect(hintOf(failed(said))).toContain("Nothing was changed in database db_1.");
    }
  });

  it("is the server's own if it has one, and shows its detail", () => {
    const error = clientFailedError("pg_restore", ended);
    expect(error.message).toMatch(/\(The database held 16001 locks of 16000\)$/);
    expect(error.hint).toBe("Split the transaction.");
  });

  it.each([
    ["terminating connection due to administrator command", "thousands of partitions"],
    ["server closed the connection unexpectedly", "connection was lost"],
    ['extension "vector" is not available', "does not have it"],
    ['role "app" does not exist', "--no-owner --no-privileges"],
    ["out of shared memory", "lock only a limited number"],
    ["canceling statement due to statement timeout", "statement_timeout"],
    ["something that nobody knows", "Correct what the message names"],
  ])("follows from the code: %s", (said, part) => {
    const { hint, next } = clientFailedError("pg_restore", `pg_restore: error: ERROR:  ${said}`);
    expect(hint).toContain(part);
    expect(JSON.stringify([hint, next])).not.toContain("auth");
  });

  it.each([
    ['FATAL:  password authentication failed for user "u"', "percent-encoded"],
    ['FATAL:  database "shop" does not exist', "name of the database"],
    [
      'FATAL:  no pg_hba.conf entry for host "1.2.3.4", user "u", database "d", no encryption',
      "only with TLS",
    ],
    ["server does not support SSL, but SSL was required", "sslmode=disable"],
    ['root certificate file "/root/.postgresql/root.crt" does not exist', "PGSSLROOTCERT"],
    ['could not translate host name "nowhere" to address: Name or service not known', "host name"],
    ["Network is unreachable", "IPv6"],
    ["FATAL:  unsupported startup parameter: options", "direct connection string"],
    ["channel binding is required, but server did not offer it", "channel_binding"],
    ["Connection refused", "can be reached"],
  ])("of a server that cannot be used says why: %s", (said, part) => {
    const text = `psql: error: connection to server at "h" (192.0.2.1), port 5432 failed: ${said}`;
    const error = unreachableDatabaseError("h/shop", text);
    expect([error.message, error.hint]).toEqual([
      expect.stringContaining("Database h/shop cannot be used: connection to server at"),
      expect.stringContaining(part),
    ]);
  });

  it("of a program that was ended names the signal", () => {
    const error = clientKilledError("pg_restore", "SIGKILL", "");
    expect(error).toMatchObject({ code: "program:killed", message: "pg_restore was ended by SIGKILL" });
    expect(hintOf(restoreFailedError(error, "db_1", true))).toMatch(/^Nothing was changed.*no memory left/);
    expect(clientKilledError("pg_dump", "SIGSEGV", "pg_dump: error: x").message).toContain(
      "after it said: x",
    );
  });
});
