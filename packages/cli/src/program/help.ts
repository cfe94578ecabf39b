import { type Command, Help, type Option } from "commander";
import type { OperationCommand } from "../operations/row.js";

/** A part of the help below the options. Its lines are computed only when the help is shown. */
export interface HelpSection {
  readonly title: string;
  readonly lines: () => readonly string[];
}

/** What the help needs to know of a command. */
interface DescribedCommand extends Command {
  /** The words that call it, starting with `mgmt`. */
  readonly line: string;
  /** The operation that it calls. */
  readonly row?: OperationCommand;
  readonly sections: readonly HelpSection[];
}

/** Flags that are used most, which the help shows first. */
const firstFlags = [
  ...["all", "name", "display-name", "git-name", "region", "region-id", "project-id", "database-id"],
  ...["wait", "wait-approval", "timeout", "if-not-exists", "logical-id", "limit"],
];
/** Flags for special cases, which it shows last. */
const lastFlags = [...["unset", "reveal", "secret-file", "body", "ndjson", "cursor", "dry-run", "help"]];

/** The help of a command as text. */
export class MgmtHelp extends Help {
  override subcommandTerm(command: Command): string {
    return command.name();
  }

  override commandUsage(command: DescribedCommand): string {
    return `${command.line} ${command.usage()}`;
  }

  /** Required flags first, then those that are used most. */
  override visibleOptions(command: DescribedCommand): Option[] {
    const fields = [...(command.row?.query ?? []), ...(command.row?.body?.fields ?? [])];
    const rank = (option: Option): number => {
      const name = option.long?.slice(2) ?? "";
      const field = fields.find(({ flag }) => flag === name || `${flag}-file` === name);
      if (field?.required === "always") return 0;
      if (firstFlags.includes(name)) return 1 + firstFlags.indexOf(name);
      if (field?.deprecated) return 200;
      return lastFlags.includes(name) ? 201 + lastFlags.indexOf(name) : 100;
    };
    return super.visibleOptions(command).sort((a, b) => rank(a) - rank(b));
  }

  override formatHelp(command: DescribedCommand, helper: Help): string {
    const sections = command.sections
      .map(({ title, lines }) => [title, lines()] as const)
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => `\n${title}:\n${lines.map((line) => `  ${line}`).join("\n")}\n`);
    return [super.formatHelp(command, helper), ...sections].join("");
  }
}
