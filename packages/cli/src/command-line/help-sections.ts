import type { HelpSection } from "./help.js";
import type { MgmtCommand } from "./command.js";

/** Adds sections with command lines below the options. */
export const addLineSections = (
  command: MgmtCommand,
  sections: Record<string, () => readonly string[]>,
): void => {
  for (const [title, lines] of Object.entries(sections)) {
    command.sections.push({ title, lines, rows: () => [] });
  }
};

/** Adds a section with terms and their meanings. */
export const addTermSection = (command: MgmtCommand, title: string, rows: HelpSection["rows"]): void => {
  command.sections.push({ title, lines: () => [], rows });
};
