import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Screen } from "./emulator.js";
import { legendOf, written } from "./notation.js";

/** The committed screens, one file for each command. */
export const screensFolder = fileURLToPath(new URL("./screens/", import.meta.url));

/** One screen of a command, with what led to it. */
export interface Section {
  readonly title: string;
  readonly words: readonly string[];
  readonly screen: Screen;
  /** How the command ended; undefined if it was still waiting. */
  readonly status: number | undefined;
}

/** Returns the path of a command's file, relative to the folder: `mgmt projects list` has `projects/list.txt`. */
export const screenFileOf = (line: string): string =>
  `${line === "mgmt" ? line : line.replace(/^mgmt /, "").replaceAll(" ", "/")}.txt`;

/** Writes the screens of a command as a text. */
export const screenText = (line: string, sections: readonly Section[]): string => {
  const head = [`# ${line}`, "", ...legendOf(sections.map(({ screen }) => screen))];
  return [head, ...sections.map(sectionLines)].map((lines) => `${lines.join("\n")}\n`).join("\n");
};

const sectionLines = ({ title, words, screen, status }: Section): string[] => [
  `## ${title}, ${String(screen.columns)} columns`,
  "",
  `$ mgmt ${words.join(" ")}`.trimEnd(),
  ...written(screen),
  status === undefined ? "(waits)" : `(exit code ${String(status)})`,
];

export const readScreens = (file: string): string | undefined => {
  const path = join(screensFolder, file);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
};

export const writeScreens = (file: string, text: string): void => {
  const path = join(screensFolder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
