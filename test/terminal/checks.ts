import { type Row, type Screen, textOf } from "./emulator.js";

/** What no screen may contain. */
const faults: Readonly<Record<string, RegExp>> = {
  "an object that was printed as text": /\[object|\[Function|\[class|=> \{/,
  "a missing value": /\bundefined\b|\bNaN\b|\bInvalid Date\b/,
  "an escape that is shown as text": /\[\??\d+(;\d+)*[A-Za-z]|\^\[|\uFFFD|\\u001b|\\x1b/,
  "a stack trace": /^\s+at .+:\d+:\d+\)?$/m,
};

/** Returns what is wrong on a screen, with the lines. Data may have lines of any length. */
export const problemsOf = (screen: Screen, isData = false): string[] => {
  const found = Object.entries(faults).flatMap(([problem, pattern]) =>
    screen.lines.filter((line) => pattern.test(line)).map((line) => `${problem}: ${line}`),
  );
  return isData ? found : [...found, ...wrappedByAccident(screen)];
};

/**
 * Returns the lines that the terminal broke although they have a place to break: a space. Commands are not broken, so that they
 * can be copied.
 */
const wrappedByAccident = ({ rows }: Screen): string[] => {
  const lines: Row[][] = [];
  for (const row of rows) {
    if (row.isWrapped) lines.at(-1)?.push(row);
    else lines.push([row]);
  }
  return lines
    .filter((line) => line.length > 1)
    .map((line) => line.map(textOf).join(""))
    .filter((line) => line.trim().includes(" ") && !isCommand(line))
    .map((line) => `a line that does not fit: ${line}`);
};

/** Whether a line is a command to copy, or a part of one. */
const isCommand = (line: string): boolean => /^\s*(\$ )?(mgmt|export|curl) |\\$/.test(line);
