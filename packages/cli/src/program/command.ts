import { Command, type HelpContext } from "commander";
import type { OperationCommand } from "../command-table.js";
import { usageError } from "../errors.js";

/** The second is commander's old form. */
type HelpRequest = HelpContext | ((text: string) => string);

/** A command that says what is missing rather than printing its whole help where none was asked for. */
export class MgmtCommand extends Command {
  /** All of them are made by `createCommand`. */
  declare readonly commands: readonly MgmtCommand[];
  /** Loads the commands of a group. */
  load?: () => Promise<void>;
  /** What the contract says about the command of an operation. */
  row?: OperationCommand;

  constructor(name?: string) {
    super(name);
    this.helpCommand(false);
  }

  /** Has the commands of a group, once they are asked for. */
  async fill(): Promise<void> {
    const { load } = this;
    delete this.load;
    await load?.();
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
    // `mgmt projcts --help` is a mistake, not a question about `mgmt`.
    const [word] = this.args;
    if (this.commands.length > 0 && word !== undefined && !word.startsWith("-")) {
      this.error(`error: unknown command '${word}'`, { code: "commander.unknownCommand" });
    }
    if (typeof request === "function") super.outputHelp(request);
    else super.outputHelp(request);
  }
}

/** What is typed for a command, from `mgmt` on. */
export const lineOf = (command: Command): string =>
  command.parent ? `${lineOf(command.parent)} ${command.name()}` : command.name();
