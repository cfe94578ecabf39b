import type { Command } from "commander";
import type { PromptAnswer, GlobalFlags } from "../../input/context.js";
import type { GeneratedCommand } from "../../contract/generated-command.js";
import {
  getCalledCommand,
  getCommandLine,
  MgmtCommand,
  type DeclaredErrors,
} from "../../command-line/command.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";

/** The command line that failed, as far as it was parsed. */
export interface FailedCommand {
  /** Path of the command, without `mgmt`. */
  readonly commandPath: readonly string[];
  /** The operation that it calls. Absent for handwritten commands and groups. */
  readonly definition: GeneratedCommand | undefined;
  /** The errors that it declares. */
  readonly errors: DeclaredErrors;
  /** Arguments of the command. */
  readonly args: readonly string[];
  /** Values of its flags: `projectId` for `--project-id`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly flags: GlobalFlags;
  /** The flags that it accepts, with their dashes. */
  readonly acceptedFlags: readonly string[];
  /** The whole command line, without `mgmt`, and with the choices at prompts. */
  readonly line: readonly string[];
}

/** Describes the command at which parsing stopped, as if the choices at prompts had been typed. */
export const describeFailedCommand = (
  program: Command,
  line: readonly string[],
  promptAnswers: readonly PromptAnswer[],
): FailedCommand => {
  const command = getCalledCommand(program);
  const separatorIndex = line.includes("--") ? line.indexOf("--") : line.length;
  const values = promptAnswers.flatMap(({ flag, value }) =>
    flag === undefined ? [] : [[toAttributeName(flag), value]],
  );
  return {
    commandPath: getCommandLine(command).split(" ").slice(1),
    definition: command instanceof MgmtCommand ? command.definition : undefined,
    errors: command instanceof MgmtCommand ? command.errors : {},
    args: [
      ...command.args,
      ...promptAnswers.flatMap(({ flag, value }) => (flag === undefined ? [value] : [])),
    ],
    options: { ...command.opts(), ...(Object.fromEntries(values) as Record<string, string>) },
    flags: collectGlobalFlags(command),
    acceptedFlags: command.options.flatMap(({ long }) => long ?? []),
    line: [
      ...line.slice(0, separatorIndex),
      ...promptAnswers.flatMap(({ flag, value }) => (flag === undefined ? [value] : [flag, value])),
      ...line.slice(separatorIndex),
    ],
  };
};

/** `--source-database-id` becomes `sourceDatabaseId`. */
export const toAttributeName = (flag: string): string =>
  flag.replace(/^--/, "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
