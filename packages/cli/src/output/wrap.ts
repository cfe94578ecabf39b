import { stripVTControlCharacters } from "node:util";

/** A narrower column has few words in each line. */
const minColumnWidth = 24;

/** Breaks a string into lines between words. A line is longer only if it is a single word. */
export const wrapText = (text: string, columns: number): string[] =>
  joinWords(text.split(" "), columns, columns);

/** Breaks each line of a message between words. The message may contain styles. The continuation of an indented line is indented further. */
export const wrapMessage = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0] ?? "";
      const hangingIndent = indent === "" ? "" : `${indent}  `;
      const words = line.slice(indent.length).split(" ");
      return joinWords(words, columns - indent.length, columns - hangingIndent.length).map(
        (part, index) => (index === 0 ? indent : hangingIndent) + part,
      );
    })
    .join("\n");

/** Puts a paragraph beside its title, or below it if one of its words would not fit beside it. Further lines are indented. */
export const wrapBeside = (title: string, text: string, columns: number): string => {
  const titleWidth = stripVTControlCharacters(title).length;
  const longestWord = Math.max(...text.split(" ").map((word) => word.length));
  if (titleWidth + longestWord <= columns) {
    return `${title}${wrapText(text, columns - titleWidth).join(`\n${" ".repeat(titleWidth)}`)}`;
  }
  return [title.trimEnd(), ...wrapText(text, columns - 2).map((line) => `  ${line}`)].join("\n");
};

/** Breaks a command line into lines that a shell reads as one. The lines after the first are indented. */
export const wrapCommand = (line: string, columns: number): string[] => {
  if (line.length <= columns) return [line];
  const words = line.match(/(?:"[^"]*"|'[^']*'|\$\([^)]*\)|[^\s"'])+/g) ?? [];
  const [continuationMark, indent] = [" \\", "    "];
  const lineWidth = columns - continuationMark.length;
  return joinWords(words, lineWidth, lineWidth - indent.length).map(
    (text, index, { length }) =>
      `${index === 0 ? "" : indent}${text}${index === length - 1 ? "" : continuationMark}`,
  );
};

/**
 * Renders a term and its meaning, indented: in two columns, or below each other if the second column would be too narrow.
 *
 * @param width width of the longest term beside which meanings are shown.
 */
export const renderTerm = (term: string, width: number, meaning: string, columns: number): string => {
  const meaningWidth = columns - width - 4;
  if (meaningWidth >= minColumnWidth) {
    return `  ${term.padEnd(width)}  ${wrapText(meaning, meaningWidth).join(`\n${" ".repeat(width + 4)}`)}`;
  }
  const lines = wrapText(meaning, columns - 6).map((line) => `      ${line}`);
  return [`  ${term}`, ...lines].join("\n");
};

/** Renders terms with their meanings, aligned. */
export const renderTerms = (
  rows: readonly (readonly [term: string, meaning: string])[],
  columns: number,
): string[] => {
  const width = Math.max(...rows.map(([term]) => term.length));
  return rows.map(([term, meaning]) => renderTerm(term, width, meaning, columns));
};

const joinWords = (words: readonly string[], firstWidth: number, otherWidth: number): string[] => {
  const lines: string[] = [];
  let usedWidth = 0;
  for (const word of words) {
    const width = stripVTControlCharacters(word).length;
    const lastLine = lines.at(-1);
    if (lastLine !== undefined && usedWidth + 1 + width <= (lines.length === 1 ? firstWidth : otherWidth)) {
      lines[lines.length - 1] = `${lastLine} ${word}`;
      usedWidth += 1 + width;
    } else if (width > 0 || lastLine === undefined) {
      lines.push(word);
      usedWidth = width;
    }
  }
  return lines;
};
