/** The name that the server has in the configuration of every client. */
export const serverName = "mgmt";

/** A value in the configuration of a server. */
export type EntryValue = string | number | readonly string[];

/** The entry for the server that the configuration of a client should have. */
export interface ServerEntry {
  /** Keys that decide which server is started. Others that the file has for it are unchanged. */
  readonly required: Readonly<Record<string, EntryValue>>;
  /** Keys that are written into a new entry only, because users tune them. */
  readonly initial?: Readonly<Record<string, EntryValue>>;
}

/** An entry that a file has already. */
export type PresentEntry = Readonly<Record<string, unknown>>;

/** A text with another entry of the server. */
export interface EditedConfig {
  /** The new text. It is the same text if nothing has to change. */
  readonly text: string;
  /** The entry that the text had for the server before, or undefined if it had none. */
  readonly before: unknown;
}

/** Why a file cannot be edited: it is broken, or has an entry for servers that no client understands. */
export class ConfigProblem extends Error {
  /** @param offset number of characters before the problem. */
  constructor(
    readonly problem: string,
    readonly offset: number,
  ) {
    super(problem);
  }
}

/** Returns the line and the column, both from 1, of a character. */
export const locate = (text: string, offset: number): { line: number; column: number } => {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
};

/** Replaces a range of a text. */
export const splice = (text: string, start: number, end: number, replacement: string): string =>
  `${text.slice(0, start)}${replacement}${text.slice(end)}`;

/**
 * Returns whether an entry can start a program, rather than connect to an address: the command may be missing beside the variables for it.
 * Clients reject an entry that does both.
 */
export const startsProgram = (entry: PresentEntry): boolean => !("url" in entry) && !("serverUrl" in entry);

/** Returns whether a value is valid for an entry. */
export const isEntry = (value: unknown): value is PresentEntry =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Returns whether an entry disables the program: `disabled` in Cursor, `enabled` in Codex and Zed. */
export const isDisabled = (value: unknown): boolean =>
  isEntry(value) && startsProgram(value) && (value["disabled"] === true || value["enabled"] === false);

/** Returns whether the file has a value already. */
export const isSameValue = (value: unknown, expected: EntryValue): boolean =>
  JSON.stringify(value) === JSON.stringify(expected);

/** Returns the line ending of the first line of a text. */
export const detectNewline = (text: string): string => /\r?\n/.exec(text)?.[0] ?? "\n";

/** Returns whether two entries are the same. */
export const isSameEntry = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
