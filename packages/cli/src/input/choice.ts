import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { truncateToWidth, measureWidth } from "../output/width.js";

/** Separates the parts of a choice. */
const partSeparator = "  ";

/** One of the resources or values that a prompt lets the user choose from. */
export interface PromptChoice {
  readonly value: string;
  /** The parts that the prompt shows, printable. The display name comes first. */
  readonly parts: readonly string[];
  /** Whether the value is an id, which is shown last, and can be typed. */
  readonly isId?: boolean;
}

/** Before the lines that continue a choice. */
const indent = "    ";

/**
 * Returns the text that shows a choice, on more than one line where the terminal is too narrow. Parts are cut to the width of a line; the
 * id stays whole.
 *
 * @param columns number of columns of the terminal.
 * @param usedWidth number of columns that are used at the start of the first line.
 */
export const renderChoice = (
  { value, parts, isId }: PromptChoice,
  columns: number,
  usedWidth: number,
): string => {
  // Little would fit beside a long question.
  const startsOnFirstLine = usedWidth <= columns / 2;
  const lines: string[] = startsOnFirstLine ? [] : [""];
  let remainingWidth = startsOnFirstLine ? columns - usedWidth : 0;
  const add = (text: string): void => {
    const lastLine = lines.at(-1);
    const neededWidth = (lastLine === undefined ? 0 : partSeparator.length) + measureWidth(text);
    if (neededWidth <= remainingWidth || lastLine === undefined) {
      lines[Math.max(0, lines.length - 1)] = lastLine === undefined ? text : lastLine + partSeparator + text;
      remainingWidth -= neededWidth;
    } else {
      lines.push(indent + text);
      remainingWidth = columns - indent.length - measureWidth(text);
    }
  };
  const maxTextWidth = columns - Math.max(startsOnFirstLine ? usedWidth : 0, indent.length);
  for (const text of parts) add(truncateToWidth(text, maxTextWidth));
  if (isId) add(value);
  return lines.join("\n");
};

/**
 * Returns the choices that have every word of the input, ignoring case: those with this name first, then those whose name begins with it. A
 * word is looked for in ids only if it begins as the ids of some kind do.
 */
export const findMatchingChoices = (choices: readonly PromptChoice[], searchText: string): PromptChoice[] => {
  const term = searchText.trim().toLowerCase();
  const words = term.split(/\s+/).filter(Boolean);
  const matches = choices.filter((choice) => words.every((word) => hasWord(choice, word)));
  return matches
    .map((choice) => ({ choice, rank: rankChoice(choice, term) }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ choice }) => choice);
};

/** Returns the choice that the input identifies even if no list is shown: the only match, or the only one with this name. */
export const findIntendedChoice = (
  choices: readonly PromptChoice[],
  searchText: string,
): PromptChoice | undefined => {
  const matches = findMatchingChoices(choices, searchText);
  const nameMatches = matches.filter((choice) => rankChoice(choice, searchText.trim().toLowerCase()) === 0);
  const [firstMatch] = nameMatches.length > 0 ? nameMatches : matches;
  return (nameMatches.length > 0 ? nameMatches : matches).length === 1 ? firstMatch : undefined;
};

const hasWord = ({ value, parts, isId }: PromptChoice, word: string): boolean =>
  parts.some((text) => text.toLowerCase().includes(word)) ||
  (isId === true && mightBeginId(word) && value.toLowerCase().startsWith(word));

const mightBeginId = (word: string): boolean =>
  Object.values(idPrefixes).some((prefix) => word.startsWith(prefix));

const rankChoice = ({ value, parts: [name = ""] }: PromptChoice, term: string): number => {
  if (name.toLowerCase() === term || value.toLowerCase() === term) return 0;
  return name.toLowerCase().startsWith(term) ? 1 : 2;
};
