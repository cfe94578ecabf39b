import { Command, CommanderError, type Help, type HelpContext, type ParseOptionsResult } from "commander";
import { missingInput, usageError } from "../errors/usage-errors.js";
import type { OperationCommand } from "../operations/row.js";
import type { CompleteArgument } from "./completion.js";
import { withDryRunFormat } from "./dry-run-option.js";
import { type HelpSection, MgmtHelp } from "./help.js";

/** The second form is commander's old one. */
type HelpRequest = HelpContext | ((text: string) => string);

/** Thrown instead of printing the help of a command as text. */
export class HelpAsData extends CommanderError {
  constructor(readonly command: MgmtCommand) {
    super(0, "commander.helpDisplayed", "(outputHelp)");
  }
}

/** A command that is defined when it is called, and that names a missing subcommand rather than printing help. */
export class MgmtCommand extends Command {
  /** `createCommand` makes all of them. */
  declare readonly commands: readonly MgmtCommand[];
  /** Adds the description, options, subcommands and action. Deleted after the first call. */
  onDefine?: () => void | Promise<void>;
  /** The row of the contract's table, for the command of an operation. */
  row?: OperationCommand;
  /** Id of the operation whose result a hand-written command prints. */
  resultOf?: string;
  /** Completes the arguments in a shell. Absent for the command of an operation, whose row says what they are. */
  completeArgument?: CompleteArgument;
  readonly sections: HelpSection[] = [];
  /** Whether help is printed as data. Set for `mgmt` itself. */
  helpIsData = false;

  constructor(name?: string) {
    super(name);
    this.helpCommand(false);
    this.hook("preSubcommand", (_, called) => (called instanceof MgmtCommand ? called.define() : undefined));
  }

  /** Defines the command unless it is defined already. */
  async define(): Promise<void> {
    const { onDefine } = this;
    delete this.onDefine;
    await onDefine?.();
  }

  /** Commander calls this for a required argument that was left out. The command of an operation asks for it. */
  missingArgument(name: string): void {
    if (this.row) return;
    throw missingInput(`Missing <${name}>`, `${lineOf(this)} --help shows the arguments and flags.`);
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    return super.parseOptions(withDryRunFormat(words));
  }

  /** Returns the subcommand that a word calls by its name or an alias. */
  subcommand(word: string): MgmtCommand | undefined {
    return this.commands.find((each) => isCalledBy(each, word));
  }

  /** The words that call the command, starting with `mgmt`. */
  get line(): string {
    return lineOf(this);
  }

  override createHelp(): Help {
    return Object.assign(new MgmtHelp(), this.configureHelp());
  }

  override createCommand(name?: string): MgmtCommand {
    return new MgmtCommand(name);
  }

  override help(request?: HelpRequest): never {
    if (typeof request === "function") return super.help(request);
    if (!request?.error) return super.help(request);
    throw usageError(
      `${lineOf(this)} needs a command`,
      `One of: ${this.commands.map((each) => each.name()).join(", ")}.`,
    );
  }

  override outputHelp(request?: HelpRequest): void {
    // `mgmt projcts --help` is a typo, not a request for the help of `mgmt`.
    const [word] = this.args;
    if (this.commands.length > 0 && word !== undefined && !word.startsWith("-")) {
      this.error(`error: unknown command '${word}'`, { code: "commander.unknownCommand" });
    }
    const root = rootOf(this);
    if (root instanceof MgmtCommand && root.helpIsData) throw new HelpAsData(this);
    if (typeof request === "function") super.outputHelp(request);
    else super.outputHelp(request);
  }
}

const isCalledBy = (command: Command, word: string): boolean =>
  command.name() === word || command.aliases().includes(word);

/** The words that call a command, starting with `mgmt`. */
export const lineOf = (command: Command): string =>
  command.parent ? `${lineOf(command.parent)} ${command.name()}` : command.name();

/** The command `mgmt` itself. */
export const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

/** Returns the names of the commands below the one that words call. */
export const subcommandNames = async (root: MgmtCommand, words: readonly string[]): Promise<string[]> => {
  const [word, ...rest] = words;
  if (word === undefined) {
    return root
      .createHelp()
      .visibleCommands(root)
      .map((each) => each.name());
  }
  const next = root.subcommand(word);
  await next?.define();
  return next === undefined ? [] : subcommandNames(next, rest);
};

/** Returns the command that parsing stopped at. Each command passed the rest of the words to the next one. */
export const calledCommand = (command: Command): Command => {
  const [word = ""] = command.args;
  const next = command.commands.find((each) => isCalledBy(each, word));
  return next === undefined ? command : calledCommand(next);
};
