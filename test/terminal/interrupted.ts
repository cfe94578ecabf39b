import type { Place } from "./place.js";

/** A command that waits or creates, and the operations during which it is interrupted. */
export interface Interrupted {
  readonly line: (place: Place) => readonly string[];
  readonly tenant?: "empty" | "webshop" | "acme";
  readonly prepare?: (place: Place) => void | Promise<void>;
  /** An operation that the command reads with before it sends its request. */
  readonly before?: string;
  /** The operation that changes something. */
  readonly sent?: string;
  /** The operation that it waits with. */
  readonly waiting?: string;
  /** Whether a program that it runs is interrupted, which says that it runs by writing the file `started`. */
  readonly runs?: boolean;
  /** What is on the screen when it is interrupted, such as a question. */
  readonly shows?: RegExp;
  /** What it prints when the wait ends, such as secrets that are shown only once. */
  readonly prints?: RegExp;
  /** Whether it reports what became of each of its steps. */
  readonly hasSteps?: boolean;
  /** Whether an interruption is its usual end. */
  readonly endsWell?: boolean;
}

/**
 * By the line of a command: when it is interrupted. A passive command neither waits for anything but a response nor creates anything that
 * the service keeps, although its shots change something or wait.
 */
export type Interruptions = Readonly<Record<string, Interrupted | "passive">>;

/** Makes a line of words. Those in braces are ids. */
export const words = (line: string): Interrupted["line"] => {
  const all = line.split(" ");
  return ({ ids, tenant }) =>
    all.map((word) =>
      word === "{workspace}" ? tenant.workspaceId : (ids[/^\{(.*)\}$/.exec(word)?.[1] ?? ""] ?? word),
    );
};

/** A connection string, with its password. */
export const secret = /postgres(ql)?:\/\/\w+:\w{8,}@/;
