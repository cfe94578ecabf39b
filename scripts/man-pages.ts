import type { TopicBlock, Topic } from "../packages/cli/src/commands/help/topic.js";
import type { CommandHelp, OptionHelp } from "../packages/cli/src/command-line/describe-command.js";
import { type CommandGroup, groupCommands } from "./cli-help.js";

/** Returns the manual pages by file name: `mgmt.1`, and one for each group of commands. */
export const manPages = (
  commands: readonly CommandHelp[],
  topics: readonly Topic[],
  version: string,
): Map<string, string> => {
  const groups = groupCommands(commands);
  const pages = new Map<string, string>();
  const [root] = commands;
  if (root) pages.set("mgmt.1", join(overviewPage(root, groups, topics, version)));
  for (const group of groups) pages.set(`mgmt-${group.name}.1`, join(groupPage(group, version)));
  return pages;
};

const overviewPage = (
  root: CommandHelp,
  groups: readonly CommandGroup[],
  topics: readonly Topic[],
  version: string,
): string[] => [
  ...start("mgmt", "the Management API in a terminal", version),
  ".SH SYNOPSIS",
  bold("mgmt COMMAND [options]"),
  ".SH DESCRIPTION",
  text(root.description),
  ".PP",
  text(
    "mgmt COMMAND --help describes a command with examples. A manual page describes each group of commands:",
  ),
  ...groups.flatMap(({ name, summary, commands }) => [
    ".TP",
    `.BR ${escaped(`mgmt-${name}`)} (1)`,
    text(summary === "" ? commands.map(({ command }) => command).join(", ") : summary),
  ]),
  ".SH GLOBAL OPTIONS",
  ...options(root.options.filter(({ global }) => global)),
  ...topics.flatMap(({ name, summary, blocks }) => [
    `.SH ${escaped(name === "exit-codes" ? "EXIT STATUS" : name.toUpperCase())}`,
    text(`${summary}.`),
    ...blocks.flatMap(blockLines),
  ]),
  ".SH EXAMPLES",
  ...example(root.examples),
];

const groupPage = ({ name, title, summary, commands }: CommandGroup, version: string): string[] => [
  ...start(`mgmt-${name}`, summary === "" ? `commands for: ${title.toLowerCase()}` : summary, version),
  ".SH COMMANDS",
  ...commands
    .filter(({ subcommands, examples }) => subcommands.length === 0 || examples.length > 0)
    .flatMap(commandLines),
  ".SH SEE ALSO",
  ".BR mgmt (1)",
];

const start = (name: string, summary: string, version: string): string[] => [
  `.TH "${name.toUpperCase()}" "1" "" "mgmt ${version}" "mgmt"`,
  ".SH NAME",
  `${escaped(name)} \\- ${escaped(summary)}`,
];

const commandLines = (help: CommandHelp): string[] => [
  `.SS ${escaped(help.command)}`,
  bold(help.usage),
  ...help.description.split("\n\n").flatMap((paragraph) => [".PP", text(paragraph)]),
  ...help.arguments.flatMap(({ name, description }) => [".TP", bold(name), text(description)]),
  ...options(help.options.filter((option) => !option.global && option.name !== "--help")),
  ...(help.examples.length > 0 ? [".PP", "Examples:", ...example(help.examples)] : []),
];

const options = (all: readonly OptionHelp[]): string[] =>
  all.flatMap(({ name, short, value, description }) => [
    ".TP",
    `${bold(short === null ? name : `${short}, ${name}`)}${value === null ? "" : ` \\fI${escaped(value)}\\fR`}`,
    text(description),
  ]);

const blockLines = (block: TopicBlock): string[] => {
  if ("heading" in block) return [`.SS ${escaped(block.heading)}`];
  if ("text" in block) return [".PP", text(block.text)];
  if ("commands" in block) return example(block.commands);
  return block.rows.flatMap(([term, meaning]) => [".TP", bold(term), text(meaning)]);
};

const example = (lines: readonly string[]): string[] => [
  ".PP",
  ".nf",
  ...lines.map((line) => `  ${escaped(line)}`),
  ".fi",
];

const bold = (words: string): string => `\\fB${escaped(words)}\\fR`;

/** Words in backticks are bold. A line must not start with a dot or a quote, which would make it a request. */
const text = (words: string): string =>
  escaped(words.replaceAll(/\s+/g, " "))
    .replaceAll(/`([^`]+)`/g, "\\fB$1\\fR")
    .replace(/^[.']/, "\\&$&");

const escaped = (words: string): string =>
  words.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...").replaceAll("'", "\\(aq");

const join = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
