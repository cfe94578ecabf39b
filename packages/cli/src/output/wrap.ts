import { stripVTControlCharacters } from "node:util";

/** A narrower column has few words in each line. */
const minColumn = 24;

/** Breaks a string into lines between words. A line is longer only if it is a single word. */
export const wrap = (text: string, columns: number): string[] => joinWords(text.split(" "), columns, columns);

/** Does the same with each line of a message, which may contain styles. The continuation of an indented line is indented further. */
export const wrapMessage = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0] ?? "";
      const hanging = indent === "" ? "" : `${indent}  `;
      const words = line.slice(indent.length).split(" ");
      return joinWords(words, columns - indent.length, columns - hanging.length).map(
        (part, index) => (index === 0 ? indent : hanging) + part,
      );
    })
    .join("\n");

/** Puts a paragraph beside its title, or below it if one of its words would not fit beside it. Further lines are indented. */
export const wrapBeside = (title: string, text: string, columns: number): string => {
  const left = stripVTControlCharacters(title).length;
  const longest = Math.max(...text.split(" ").map((word) => word.length));
  if (left + longest <= columns) {
    return `${title}${wrap(text, columns - left).join(`\n${" ".repeat(left)}`)}`;
  }
  return [title.trimEnd(), ...wrap(text, columns - 2).map((line) => `  ${line}`)].join("\n");
};

/** Breaks a command line into lines that a shell reads as one. The lines after the first are indented. */
export const wrapCommand = (line: string, columns: number): string[] => {
  if (line.length <= columns) return [line];
  const words = line.match(/(?:"[^"]*"|'[^']*'|\$\([^)]*\)|[^\s"'])+/g) ?? [];
  const [continued, indent] = [" \\", "    "];
  const room = columns - continued.length;
  return joinWords(words, room, room - indent.length).map(
    (text, index, { length }) =>
      `${index === 0 ? "" : indent}${text}${index === length - 1 ? "" : continued}`,
  );
};

/**
 * Renders a term and its meaning, indented: in two columns, or below each other if the second column would be too narrow.
 *
 * @param width Width of the longest term beside which meanings are shown.
 */
export const renderRow = (term: string, width: number, meaning: string, columns: number): string => {
  const room = columns - width - 4;
  if (room >= minColumn) {
    return `  ${term.padEnd(width)}  ${wrap(meaning, room).join(`\n${" ".repeat(width + 4)}`)}`;
  }
  const lines = wrap(meaning, columns - 6).map((line) => `      ${line}`);
  return [`  ${term}`, ...lines].join("\n");
};

/** Renders terms with their meanings, aligned. */
export const renderRows = (
  rows: readonly (readonly [term: string, meaning: string])[],
  columns: number,
): string[] => {
  const width = Math.max(...rows.map(([term]) => term.length));
  return rows.map(([term, meaning]) => renderRow(term, width, meaning, columns));
};

const joinWords = (words: readonly string[], first: number, others: number): string[] => {
  const lines: string[] = [];
  let used = 0;
  for (const word of words) {
    const width = stripVTControlCharacters(word).length;
    const last = lines.at(-1);
    if (last !== undefined && used + 1 + width <= (lines.length === 1 ? first : others)) {
      lines[lines.length - 1] = `${last} ${word}`;
      used += 1 + width;
    } else if (width > 0 || last === undefined) {
      lines.push(word);
      used = width;
    }
  }
  return lines;
};
