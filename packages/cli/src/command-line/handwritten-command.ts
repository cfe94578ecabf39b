import type { Context } from "../input/context.js";
import type { OperationId } from "@mgmt/sdk";
import type { MgmtCommand, DeclaredErrors } from "./command.js";
import type { overviewHeadings } from "./overview-headings.js";

/**
 * A command that is written by hand: it is not generated from an operation of the contract. A file `commands/GROUP/NAME.ts` exports it,
 * and `npm run generate` derives from all of them the tree of commands and the printed schemas.
 *
 * @typeParam Result The output of the command with `--output json`. Default: no JSON.
 */
export interface HandwrittenCommand<Result = never> extends HandwrittenGroup {
  readonly description?: string;
  /** Command lines, which the help shows. */
  readonly examples?: readonly string[];
  /** The operation whose result it prints, for a command without a `Result` of its own. */
  readonly resultOf?: OperationId;
  /** Additions to the messages of errors with these codes. */
  readonly errors?: DeclaredErrors;
  /** Whether it may ask for a confirmation. The help of all others leaves out `--yes` and `--confirm`. */
  readonly confirms?: boolean;
  /** Whether the help leaves out the options of all commands, or the command does not accept them. Default: neither. */
  readonly globalOptions?: "hidden" | "none";
  /** Adds the arguments, the flags and the action, which loads the implementation. */
  readonly define: (command: MgmtCommand, context: Context) => void;
  /** Has no value. It makes the result a part of the type. */
  readonly result?: Result;
}

/** A command that only has subcommands. */
export interface HandwrittenGroup {
  /** Path of the command, without `mgmt`: `auth login`. */
  readonly commandPath: string;
  readonly summary: string;
  /** Section of the overview, for a command directly below `mgmt`. */
  readonly helpGroup?: keyof typeof overviewHeadings;
  /** Place among the commands of its section or group. The numbers have gaps for new commands. */
  readonly order: number;
  /** Place among the commands that a new user needs first. Default: it is not one of them. */
  readonly gettingStartedOrder?: number;
  readonly alias?: string;
  /** Other paths of the command, which no help shows. */
  readonly hiddenAliases?: readonly string[];
  readonly hidden?: boolean;
}
