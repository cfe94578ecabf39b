import {
  Command,
  CommanderError,
  type Help,
  type HelpContext,
  type ParseOptionsResult,
  type Option,
} from "commander";
import type { OperationId } from "@mgmt/sdk";
import { missingInputError, usageError } from "../errors/usage-errors.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import type { CompleteArgument } from "./argument-completion.js";
import { rewriteDryRunFlag } from "../input/dry-run-option.js";
import { assertPathsNotEmpty } from "./global-options.js";
import { type HelpSection, MgmtHelp } from "./help.js";

/** By code: the command lines that help, without `mgmt`, the best first. */
export type DeclaredErrors = Readonly<Record<string, { readonly next: readonly (readonly string[])[] }>>;

/** The second form is commander's old one. */
type HelpRequest = HelpContext | ((text: string) => string);

/** Thrown instead of printing the help of a command as text. */
export class HelpAsDataError extends CommanderError {
  constructor(readonly command: MgmtCommand) {
    super(0, "commander.helpDisplayed", "(outputHelp)");
  }
}

/** A subcommand that is made when it is called or listed. */
export interface LazyCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly hidden?: boolean;
  /** Whether it runs if no subcommand is called. It is made immediately then, because commander has to know. */
  readonly isDefault?: boolean;
  /** Adds the parts that the help of the parent shows, and sets `onFirstUse`. */
  readonly describeInParent: (command: MgmtCommand) => void;
}

/** A command that is defined when it is called, and that names a missing subcommand rather than printing help. */
export class MgmtCommand extends Command {
  /** All subcommands. Reading it makes those that are not made yet. */
  declare readonly commands: readonly MgmtCommand[];
  /** Those that are made. Commander's constructor sets it, as `commands`. */
  declare private createdCommands: MgmtCommand[];
  readonly #lazyCommands = new Map<LazyCommand, MgmtCommand | undefined>();
  /** Whether commander is adding a subcommand, which concerns only those that are made. */
  #isAddingLazy = false;
  /** Adds the description, options, subcommands and action. Deleted after the first call. */
  onFirstUse?: () => void | Promise<void>;
  /** The definition that the contract gives, for the command of an operation. */
  definition?: GeneratedCommand;
  /** Id of the operation whose result a handwritten command prints. */
  resultOf?: OperationId;
  /** The errors that a handwritten command declares, by code. */
  errors: DeclaredErrors = {};
  /** Completes the arguments in a shell. Absent for the command of an operation, whose definition describes them. */
  completeArgument?: CompleteArgument;
  /** Returns the exit code after an error, for a command that gives exit codes another meaning. */
  mapErrorExitCode?: (exitCode: number, args: readonly string[]) => number;
  /** The program that gets the arguments after `--`, if the command passes some on. */
  wrappedProgram?: string;
  /** Whether the words after the first argument belong to a program. */
  #passesFlags = false;
  /** Place among the commands that a new user needs first. */
  gettingStartedOrder?: number;
  readonly sections: HelpSection[] = [];
  /** Whether help is printed as data. Set for `mgmt` itself. */
  printsHelpAsData = false;

  constructor(name?: string) {
    super(name);
    this.helpCommand(false);
    this.hook("preSubcommand", (_, called) => (called instanceof MgmtCommand ? called.define() : undefined));
  }

  /** Defines the command unless it is defined already. */
  async define(): Promise<void> {
    const { onFirstUse } = this;
    delete this.onFirstUse;
    await onFirstUse?.();
  }

  /** Commander calls this for a required argument that was left out. The command of an operation asks for it. */
  missingArgument(name: string): void {
    if (this.definition) return;
    throw missingInputError(
      `Missing <${name}>`,
      `${getCommandLine(this)} --help shows the arguments and flags.`,
    );
  }

  /** Commander calls this for a required flag that was left out. */
  missingMandatoryOptionValue({ flags }: Option): void {
    assertPathsNotEmpty(this);
    throw missingInputError(
      `Missing ${flags}`,
      `${getCommandLine(this)} --help shows the arguments and flags.`,
    );
  }

  override passThroughOptions(passesFlags = true): this {
    this.#passesFlags = passesFlags;
    return super.passThroughOptions(passesFlags);
  }

  override parseOptions(args: string[]): ParseOptionsResult {
    if (
      this.wrappedProgram === undefined &&
      !this.#passesFlags &&
      this.createdCommands.length + this.#lazyCommands.size === 0
    ) {
      rejectSingleDashFlags(args, this.options);
    }
    rejectOppositeFlags(args, this.options);
    return super.parseOptions(rewriteDryRunFlag(args));
  }

  /** Adds a subcommand without making it: `mgmt` has dozens, and most runs call one. */
  addLazy(lazyCommand: LazyCommand): void {
    this.#lazyCommands.set(lazyCommand, undefined);
    if (lazyCommand.isDefault) this.#createLazy(lazyCommand);
  }

  /** Returns the subcommand with this name or alias. */
  findSubcommand(nameOrAlias: string): MgmtCommand | undefined {
    const lazyCommand = this.#isAddingLazy
      ? undefined
      : [...this.#lazyCommands.keys()].find((candidate) => isNamed(candidate, nameOrAlias));
    return lazyCommand
      ? this.#createLazy(lazyCommand)
      : this.createdCommands.find((candidate) => isCalledBy(candidate, nameOrAlias));
  }

  /** Commander calls this to look a subcommand up. */
  _findCommand(nameOrAlias: string | undefined): MgmtCommand | undefined {
    return nameOrAlias === undefined ? undefined : this.findSubcommand(nameOrAlias);
  }

  /** Returns all subcommands in the order in which they were added. */
  #createAll(): MgmtCommand[] {
    if (this.#isAddingLazy || [...this.#lazyCommands.values()].every((created) => created !== undefined))
      return this.createdCommands;
    const commands = [...this.#lazyCommands.keys()].map((declaration) => this.#createLazy(declaration));
    this.createdCommands.sort((left, right) => commands.indexOf(left) - commands.indexOf(right));
    return this.createdCommands;
  }

  #createLazy(lazyCommand: LazyCommand): MgmtCommand {
    const existingCommand = this.#lazyCommands.get(lazyCommand);
    if (existingCommand) return existingCommand;
    const { name, aliases = [], hidden = false, isDefault = false, describeInParent } = lazyCommand;
    this.#isAddingLazy = true;
    const command = this.command(name, { hidden, isDefault }).aliases([...aliases]);
    this.#isAddingLazy = false;
    this.#lazyCommands.set(lazyCommand, command);
    describeInParent(command);
    return command;
  }

  static {
    // Commander's declaration has a property, which a class cannot override by an accessor.
    Object.defineProperty(this.prototype, "commands", {
      get(this: MgmtCommand) {
        return this.#createAll();
      },
      set(this: MgmtCommand, createdCommands: MgmtCommand[]) {
        this.createdCommands = createdCommands;
      },
    });
  }

  /** Path of the command, starting with `mgmt`. */
  get line(): string {
    return getCommandLine(this);
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
      `${getCommandLine(this)} needs a command`,
      `One of: ${this.commands.map((subcommand) => subcommand.name()).join(", ")}.`,
    );
  }

  override outputHelp(request?: HelpRequest): void {
    // `mgmt projcts --help` is a typo, not a request for the help of `mgmt`.
    const [firstArgument] = this.args;
    if (this.commands.length > 0 && firstArgument !== undefined && !firstArgument.startsWith("-")) {
      this.error(`error: unknown command '${firstArgument}'`, { code: "commander.unknownCommand" });
    }
    const root = findRootCommand(this);
    if (root instanceof MgmtCommand && root.printsHelpAsData) throw new HelpAsDataError(this);
    if (typeof request === "function") super.outputHelp(request);
    else super.outputHelp(request);
  }
}

const isNamed = ({ name, aliases = [] }: LazyCommand, nameOrAlias: string): boolean =>
  name === nameOrAlias || aliases.includes(nameOrAlias);

const isCalledBy = (command: Command, nameOrAlias: string): boolean =>
  command.name() === nameOrAlias || command.aliases().includes(nameOrAlias);

/** Returns the path of a command, starting with `mgmt`. */
export const getCommandLine = (command: Command): string =>
  command.parent ? `${getCommandLine(command.parent)} ${command.name()}` : command.name();

/** Returns the command `mgmt` itself, above a command. */
export const findRootCommand = (command: Command): Command =>
  command.parent ? findRootCommand(command.parent) : command;

/** Returns the names of the subcommands of a command. */
export const listSubcommandNames = async (
  root: MgmtCommand,
  commandPath: readonly string[],
): Promise<string[]> => {
  const [nameOrAlias, ...remainingPath] = commandPath;
  if (nameOrAlias === undefined) {
    return root
      .createHelp()
      .visibleCommands(root)
      .map((subcommand) => subcommand.name());
  }
  const subcommand = root.findSubcommand(nameOrAlias);
  await subcommand?.define();
  return subcommand === undefined ? [] : listSubcommandNames(subcommand, remainingPath);
};

/** Returns the command that parsing stopped at. Each command passed its remaining arguments to the next one. */
export const getCalledCommand = <C extends Command & { readonly commands: readonly C[] }>(command: C): C => {
  const [firstArgument = ""] = command.args;
  const subcommands: readonly C[] = command.commands;
  const calledSubcommand = subcommands.find((subcommand) => isCalledBy(subcommand, firstArgument));
  return calledSubcommand === undefined ? command : getCalledCommand(calledSubcommand);
};

/**
 * Rejects a long flag with a single dash, as Terraform has them. Commander reads `-out=plan.json` as `-o` with the value
 * `ut=plan.json`. Arguments after `--` are not flags, and neither are values of flags.
 */
const rejectSingleDashFlags = (args: readonly string[], options: readonly Option[]): void => {
  for (const [index, arg] of args.entries()) {
    if (arg === "--") return;
    const [, name] = /^-([a-z][a-z-]+)(?:=|$)/.exec(arg) ?? [];
    const isLongOption = options.some(({ long, hidden }) => !hidden && long === `--${name ?? ""}`);
    if (isLongOption && !isOptionValue(args[index - 1], options)) {
      throw usageError(`Unknown option '-${name ?? ""}'`, `Did you mean --${name ?? ""}?`);
    }
  }
};

/** Rejects a flag together with its opposite: commander takes the last one, which `--protect --no-protect` would undo unnoticed. */
const rejectOppositeFlags = (args: readonly string[], options: readonly Option[]): void => {
  const endIndex = args.indexOf("--");
  const flags = (endIndex === -1 ? args : args.slice(0, endIndex)).filter(
    (_, index) => !isOptionValue(args[index - 1], options),
  );
  for (const { long, negate } of options) {
    if (!negate || long === undefined) continue;
    const opposite = long.replace("--no-", "--");
    const isDeclared = options.some((option) => option.long === opposite);
    if (isDeclared && flags.includes(long) && flags.includes(opposite))
      throw usageError(`${opposite} and ${long} cannot be used together`, "Pass one of them.");
  }
};

/** Returns whether a word is the value of the flag before it. */
const isOptionValue = (previousWord: string | undefined, options: readonly Option[]): boolean =>
  options.some(
    ({ long, short, required }) =>
      required && previousWord !== undefined && [long, short].includes(previousWord),
  );
