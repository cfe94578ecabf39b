/** What client programs of Postgres write to standard error. */
export const duplicate = `pg_restore: while PROCESSING TOC:
pg_restore: from TOC entry 215; 1259 16390 TABLE notes x
pg_restore: error: could not execute query: ERROR:  relation "notes" already exists
Command was: CREATE TABLE public.notes (
    id integer
);
`;

export const conflict = `pg_restore: error: COPY failed for table "notes": ERROR:  duplicate key value violates unique constraint "notes_pkey"
DETAIL:  Key (id)=(1) already exists.
CONTEXT:  COPY notes, line 1
`;

export const verbose = `psql:<stdin>:2: ERROR:  23503: insert or update on table "a" violates foreign key constraint "a_b_fkey"
DETAIL:  Key (b)=(7) is not present
 in table "b".
LOCATION:  ri_ReportViolation, ri_triggers.c:2612
psql:<stdin>:3: ERROR:  25P02: current transaction is aborted
`;

export const ended = `pg_restore: error: could not execute query: FATAL:  terminating connection due to administrator command
DETAIL:  The database held 16001 locks of 16000.
HINT:  Split the transaction.
server closed the connection unexpectedly
	This probably means the server terminated abnormally
	before or while processing the request.
`;

export const dump = `pg_dump: error: query failed: ERROR:  permission denied for table secrets
pg_dump: detail: Query was: LOCK TABLE public.secrets IN ACCESS SHARE MODE
`;
