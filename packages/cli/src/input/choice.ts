import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { cutTo, widthOf } from "../output/width.js";

/** Separates the parts of a choice. */
const gap = "  ";

export interface Choice {
  readonly value: string;
  /** The parts that the prompt shows, printable. The name that people use comes first. */
  readonly texts: readonly string[];
  /** Whether the value is an id, which is shown last, and can be typed. */
  readonly isId?: boolean;
}

/** Before the lines that continue a choice. */
const indent = "    ";

/**
 * Returns the text that shows a choice, on more than one line where the terminal is too narrow. Parts are cut to the width of a line; the
 * id stays whole.
 *
 * @param columns Number of columns of the terminal.
 * @param used Number of columns that are taken at the beginning of the first line.
 */
export const shownChoice = ({ value, texts, isId }: Choice, columns: number, used: number): string => {
  // Little would fit beside a long question.
  const isBeside = used <= columns / 2;
  const lines: string[] = isBeside ? [] : [""];
  let left = isBeside ? columns - used : 0;
  const add = (text: string): void => {
    const last = lines.at(-1);
    const needed = (last === undefined ? 0 : gap.length) + widthOf(text);
    if (needed <= left || last === undefined) {
      lines[Math.max(0, lines.length - 1)] = last === undefined ? text : last + gap + text;
      left -= needed;
    } else {
      lines.push(indent + text);
      left = columns - indent.length - widthOf(text);
    }
  };
  const widest = columns - Math.max(isBeside ? used : 0, indent.length);
  for (const text of texts) add(cutTo(text, widest));
  if (isId) add(value);
  return lines.join("\n");
};

/**
 * Returns the choices that have every word of the input, ignoring case: those with this name first, then those whose name begins with it. A
 * word is looked for in ids only if it begins as the ids of some kind do.
 */
export const matching = (choices: readonly Choice[], text: string): Choice[] => {
  const term = text.trim().toLowerCase();
  const words = term.split(/\s+/).filter(Boolean);
  const matches = choices.filter((choice) => words.every((word) => hasWord(choice, word)));
  return matches
    .map((choice) => ({ choice, rank: rankOf(choice, term) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ choice }) => choice);
};

/** Returns the choice that the input means without a look at the choices: the only match, or the only one with this name. */
export const meant = (choices: readonly Choice[], text: string): Choice | undefined => {
  const matches = matching(choices, text);
  const named = matches.filter((choice) => rankOf(choice, text.trim().toLowerCase()) === 0);
  const [only] = named.length > 0 ? named : matches;
  return (named.length > 0 ? named : matches).length === 1 ? only : undefined;
};

const hasWord = ({ value, texts, isId }: Choice, word: string): boolean =>
  texts.some((text) => text.toLowerCase().includes(word)) ||
  (isId === true && mayBeginId(word) && value.toLowerCase().startsWith(word));

const mayBeginId = (word: string): boolean =>
  Object.values(idPrefixes).some((prefix) => word.startsWith(prefix));

const rankOf = ({ value, texts: [name = ""] }: Choice, term: string): number => {
  if (name.toLowerCase() === term || value.toLowerCase() === term) return 0;
  return name.toLowerCase().startsWith(term) ? 1 : 2;
};
