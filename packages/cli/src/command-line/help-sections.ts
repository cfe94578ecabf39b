import type { HelpSection } from "./help.js";
import type { MgmtCommand } from "./command.js";

/** Adds sections with command lines below the options. */
export const addSections = (
  command: MgmtCommand,
  sections: Record<string, () => readonly string[]>,
): void => {
  for (const [title, lines] of Object.entries(sections)) {
    command.sections.push({ title, lines, rows: () => [] });
  }
};

/** Adds a section with terms and their meanings. */
export const addRows = (command: MgmtCommand, title: string, rows: HelpSection["rows"]): void => {
  command.sections.push({ title, lines: () => [], rows });
};

/** An id for examples: `buildExampleId(idPrefixes.project)` is `proj_8s2d…`. */
export const buildExampleId = (prefix = ""): string => `${prefix}8s2d4f6g1h3j5k7l9q0w2e4r`;
