/** A JSON Schema of version 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What `mgmt schema` prints about a command. */
export interface CommandSchema {
  readonly command: string;
  /** The operation whose result it prints, or null if it prints one of its own. */
  readonly operationId: string | null;
  /** Schema of standard output with `--output json`, or null if no JSON is printed. */
  readonly result: JsonSchema | null;
  /** Schema of a line of standard output with `--output ndjson`. */
  readonly streamLine: JsonSchema | null;
  /** Schema of standard output with `--output json` if `--ndjson` is passed, or null if the command does not have it. */
  readonly bulkResult: JsonSchema | null;
  /** Schema of standard output with `--dry-run`, or null if the command does not have it. */
  readonly dryRun: JsonSchema | null;
  /** Schema of a line of standard error with `--output json` or `ndjson` when the command fails. */
  readonly error: JsonSchema;
  readonly exitCodes: readonly ExitCode[];
}

interface ExitCode {
  readonly code: number;
  readonly meaning: string;
  /** The error codes of the operation that have this exit code. */
  readonly errors: readonly string[];
}
