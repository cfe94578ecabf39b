import type { Place } from "./place.js";

/** Waits for a text on the terminal, and then types. */
export interface Keys {
  readonly when: RegExp;
  readonly type: string;
}

/** One thing that users see: what a command shows for a line that they type. */
export interface Shot {
  readonly title: string;
  /** The words after `mgmt`. */
  readonly line: (place: Place) => readonly string[];
  /** What the tenant has: nothing, a project with a resource of every kind, or twelve projects. Default: the project. */
  readonly tenant?: "empty" | "webshop" | "acme";
  /** Whether the command changes the tenant, so that no other shot can use it. */
  readonly changes?: boolean;
  /** Prepares the folder, the environment, and the tenant. */
  readonly prepare?: (place: Place) => void | Promise<void>;
  /** Whether it shows all tenants of the service, so that it needs a service of its own. */
  readonly alone?: boolean;
  /** Whether it prints data or a script, whose lines may be of any length. */
  readonly isData?: boolean;
  readonly keys?: readonly Keys[];
  /** For a command that waits: what is on the terminal when the shot is taken. The command is interrupted then. */
  readonly rests?: RegExp;
}

type Line = Shot["line"] | readonly string[] | string;
type Others = Omit<Shot, "title" | "line">;

const lineOf = (line: Line): Shot["line"] => {
  if (typeof line === "function") return line;
  const words = typeof line === "string" ? line.split(" ") : line;
  return () => words;
};

/** A command that reads. */
export const reads = (title: string, line: Line, others: Others = {}): Shot => ({
  title,
  line: lineOf(line),
  ...others,
});

/** A command that changes something. */
export const changes = (title: string, line: Line, others: Others = {}): Shot => ({
  title,
  line: lineOf(line),
  changes: true,
  ...others,
});

/** A prompt, which is shown and then canceled. */
export const asks = (title: string, line: Line, rests: RegExp, others: Others = {}): Shot => ({
  title,
  line: lineOf(line),
  rests,
  ...others,
});

/** A prompt with its choices, which it shows before it has them. */
export const choices = /❯[^]*⏎ select/;
