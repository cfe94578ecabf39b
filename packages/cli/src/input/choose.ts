import type { Context } from "../context.js";
import { ask } from "./ask.js";
import { isId } from "./ids.js";

export interface Choice {
  readonly value: string;
  /** What is shown, printable. */
  readonly name: string;
}

interface Question {
  readonly title: string;
  readonly choices: readonly Choice[];
  /** Whether nothing else can be chosen. If not, an id can be typed. */
  readonly isComplete: boolean;
}

/** Up to this many choices fit on a small terminal and need no search. */
const fewChoices = 10;

/** Asks for one of several choices, with a search if there are many. */
export const choose = ({ title, choices, isComplete }: Question, context: Context): Promise<string> => {
  const message = `${title}:`;
  return ask(context, ({ select, search }, terminal) =>
    choices.length <= fewChoices && isComplete
      ? select({ message, choices: [...choices] }, terminal)
      : search({ message, source: (term) => matching(choices, isComplete, term) }, terminal),
  );
};

/** Returns the choices that contain every word, ignoring case. */
const matching = (choices: readonly Choice[], isComplete: boolean, term = ""): Choice[] => {
  const words = term.toLowerCase().split(/\s+/).filter(Boolean);
  const found = choices.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const typed = !isComplete && isId(term) && !choices.some(({ value }) => value === term);
  return typed ? [...found, { value: term, name: `${term} (as typed)` }] : found;
};
