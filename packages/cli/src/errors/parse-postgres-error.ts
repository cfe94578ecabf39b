/** The message of a client program of Postgres about its failure. */
export interface PostgresProgramError {
  /** The error, without the name of the program. */
  readonly problem: string;
  /** The server's details: the row, the constraint, or the limit. */
  readonly detail?: string;
  /** The server's hint. */
  readonly hint?: string;
  /** The server's code (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
  readonly sqlState?: string;
}

/** psql with `VERBOSITY=verbose`, whose messages have the code in any language. */
const verboseErrorPattern = /^(psql:.*?: )?\p{L}+: {2}([0-9A-Z]{5}): (.*)$/mu;

/** A line that begins another part of a message, or another message. */
const nextSectionPattern =
  /^(?:(?:DETAIL|HINT|CONTEXT|LOCATION|[A-Z ]+ NAME|QUERY|LINE \d+|Command was|(?:psql|pg_\w+):?.*?):|server closed the connection)/;

/**
 * Reads the standard error of a client program, in English. Takes the first error: later ones follow from it.
 *
 * @param program for example `pg_restore`.
 */
export const parsePostgresError = (program: string, stderr: string): PostgresProgramError => {
  const lines = stderr.split(/\r?\n/);
  const firstErrorIndex = lines.findIndex(
    (line) => verboseErrorPattern.test(line) || /\b(?:error|fatal|panic):/i.test(line),
  );
  const index = firstErrorIndex === -1 ? lines.findIndex((line) => line.trim() !== "") : firstErrorIndex;
  const line = (lines[index] ?? "").trim();
  const [, prefix = "", code, message = ""] = verboseErrorPattern.exec(line) ?? [];
  const problem =
    code === undefined
      ? line.replace(new RegExp(`^${program}: (?:error: )?`), "")
      : `${prefix}ERROR: ${message}`;
  const followingLines = lines.slice(index + 1);
  const readSection = (name: string): string | undefined => {
    const start = followingLines.findIndex((followingLine) =>
      new RegExp(`^(?:${program}: )?${name}:\\s+`, "i").test(followingLine),
    );
    const end = followingLines.findIndex(
      (followingLine, lineIndex) => lineIndex > start && nextSectionPattern.test(followingLine),
    );
    if (start === -1) return undefined;
    const sectionText = followingLines.slice(start, end === -1 ? undefined : end).join(" ");
    const sectionContent = sectionText
      .replace(/^.*?(?:detail|hint):\s+/i, "")
      .replaceAll(/\s+/g, " ")
      .trim();
    // The statement of pg_dump, which does not contain the reason.
    return sectionContent === "" || sectionContent.startsWith("Query was:") ? undefined : sectionContent;
  };
  const [detail, hint] = [readSection("DETAIL"), readSection("HINT")];
  const sqlState = code ?? inferSqlState(stderr);
  return {
    problem: problem === "" ? "no reason given" : problem.replaceAll(/: {2,}/g, ": "),
    ...(detail !== undefined && { detail }),
    ...(hint !== undefined && { hint }),
    ...(sqlState !== undefined && { sqlState }),
  };
};

/**
 * Returns the code that belongs to a message of the server in English. pg_dump, pg_restore, and a connection that fails print no code,
 * and a user cannot choose the language of the server.
 */
export const inferSqlState = (stderr: string): string | undefined =>
  sqlStateByMessage.find(([pattern]) => pattern.test(stderr))?.[1];

const sqlStateByMessage: readonly (readonly [RegExp, string])[] = [
  [/terminating connection due to administrator command/, "57P01"],
  [/terminating connection because of crash/, "57P02"],
  [
    /the database system is (?:starting up|shutting down|in recovery)|not (?:yet )?accepting connections/,
    "57P03",
  ],
  [/canceling statement due to|terminating connection due to \w+(?:-\w+)* ?timeout/, "57014"],
  [/password authentication failed|no password supplied/, "28P01"],
  [/no pg_hba\.conf entry|role "[^"]*" is not permitted to log in|pg_hba\.conf rejects/, "28000"],
  [/too many connections|connection slots are reserved|too many clients/, "53300"],
  [/out of shared memory/, "53200"],
  [/No space left on device|could not extend file/, "53100"],
  [/out of memory/, "53200"],
  [/duplicate key value violates/, "23505"],
  [/violates \w+(?: \w+)? constraint|violates not-null/, "23000"],
  [/permission denied|must be owner|must be superuser|must be able to/, "42501"],
  [/extension "[^"]*" is not available|could not open extension control file/, "0A000"],
  [/unrecognized configuration parameter|role "[^"]*" does not exist|type "[^"]*" does not exist/, "42704"],
  [/database "[^"]*" does not exist/, "3D000"],
  [/relation "[^"]*" already exists/, "42P07"],
  [/already exists/, "42710"],
  [
    /server closed the connection unexpectedly|connection to server was lost|SSL SYSCALL error|SSL connection has been closed/,
    "08006",
  ],
  [
    /does not support SSL|could not translate host name|Connection refused|timeout expired|Network is unreachable|No route to host/,
    "08001",
  ],
];
