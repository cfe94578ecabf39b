/**
 * The start of a command of Azure Pipelines, a service message of TeamCity (https://www.jetbrains.com/help/teamcity/service-messages.html),
 * and an older command of GitHub Actions, anywhere in a line.
 */
export const markerPattern = /##(?=\[|vso\[|teamcity\[)/gi;

/** A command at the start of a line in GitHub Actions. White space may precede it, as .NET defines it, which includes U+0085. */
const commandPattern = /^([\s\u0085]*):(?=:[a-z-]+(?: [^\n]*)?::)/gim;

/** Returns whether a CI system would carry out a part of a string that is printed into its log. */
export const hasLogCommand = (text: string): boolean =>
  mightHaveLogCommand(text) && (text.search(markerPattern) >= 0 || text.search(commandPattern) >= 0);

/** Keeps a CI system from carrying out a foreign text that is printed into its log: a name could set a variable of the job. */
export const escapeLogCommands = (text: string): string =>
  mightHaveLogCommand(text) ? escapeLogMarkers(text).replaceAll(commandPattern, String.raw`$1\u003a`) : text;

/** Escapes commands in text that quotes all of its strings, such as JSON. The value of the JSON stays the same. */
export const escapeLogMarkers = (text: string): string =>
  text.includes("##") ? text.replaceAll(markerPattern, String.raw`\u0023#`) : text;

/** Almost no string has these, and long tables have many strings. */
const mightHaveLogCommand = (text: string): boolean => text.includes("##") || text.includes("::");
