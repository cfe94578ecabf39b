import type { Command } from "commander";
import type { GlobalFlags } from "../../context.js";
import type { OperationCommand } from "../../operations/row.js";
import { calledCommand, lineOf, MgmtCommand } from "../../program/command.js";
import { globalFlags } from "../../program/global-options.js";

/** The command line that failed, as far as it was parsed. */
export interface FailedCommand {
  /** Words that call the command, without `mgmt`. */
  readonly words: readonly string[];
  /** The operation that it calls. Absent for hand-written commands and groups. */
  readonly row: OperationCommand | undefined;
  /** Arguments of the command. */
  readonly args: readonly string[];
  /** Values of its flags: `projectId` for `--project-id`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly flags: GlobalFlags;
  /** The flags that it accepts, with their dashes. */
  readonly accepts: readonly string[];
  /** The whole command line, without `mgmt`. */
  readonly line: readonly string[];
}

/** Describes the command at which parsing stopped. */
export const failedCommand = (program: Command, line: readonly string[]): FailedCommand => {
  const command = calledCommand(program);
  return {
    words: lineOf(command).split(" ").slice(1),
    row: command instanceof MgmtCommand ? command.row : undefined,
    args: command.args,
    options: command.opts(),
    flags: globalFlags(command),
    accepts: command.options.flatMap(({ long }) => long ?? []),
    line,
  };
};
