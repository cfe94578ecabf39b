import { type Command, Help, type Option } from "commander";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { renderOverview } from "./overview.js";
import { renderTerm, renderTerms, wrapText, wrapCommand } from "../output/wrap.js";

/** A part of the help below the options. Its content is computed only when the help is shown. */
export interface HelpSection {
  readonly title: string;
  /** Command lines. */
  readonly lines: () => readonly string[];
  /** Terms and their meanings. */
  readonly rows: () => readonly (readonly [term: string, meaning: string])[];
}

/** The properties of a command that the help needs. */
interface CommandWithSections extends Command {
  /** Path of the command, starting with `mgmt`. */
  readonly line: string;
  /** The operation that it calls. */
  readonly definition?: GeneratedCommand;
  readonly sections: readonly HelpSection[];
}

/** Flags that are used most, which the help shows first. */
const firstFlags = [
  ...["all", "name", "display-name", "git-name", "region", "region-id", "project-id", "database-id"],
  ...["wait", "wait-approval", "timeout", "if-not-exists", "logical-id", "limit"],
];
/** Flags for special cases, which it shows last. */
const lastFlags = [
  ...[
    "unset",
    "show-secrets",
    "secret-file",
    "github-env",
    "github-output",
    "gitlab-dotenv",
    "body",
    "ndjson",
    "cursor",
    "dry-run",
    "help",
  ],
];

/** The help of a command as text. */
export class MgmtHelp extends Help {
  override minWidthToWrap = 0;

  override subcommandTerm(command: Command): string {
    return command.name();
  }

  override commandUsage(command: CommandWithSections): string {
    return `${command.line} ${command.usage()}`;
  }

  /** Required flags first, then those that are used most. */
  override visibleOptions(command: CommandWithSections): Option[] {
    const fields = [...(command.definition?.query ?? []), ...(command.definition?.body?.fields ?? [])];
    const computeRank = (option: Option): number => {
      const name = option.long?.slice(2) ?? "";
      const field = fields.find(({ flag }) => flag === name || `${flag}-file` === name);
      if (field?.required === "always") return 0;
      if (firstFlags.includes(name)) return 1 + firstFlags.indexOf(name);
      if (field?.deprecated) return 200;
      return lastFlags.includes(name) ? 201 + lastFlags.indexOf(name) : 100;
    };
    return super.visibleOptions(command).sort((left, right) => computeRank(left) - computeRank(right));
  }

  override formatHelp(command: CommandWithSections, helper: Help): string {
    if (command.parent === null) return renderOverview(command, helper, this.columns);
    const sections = command.sections
      .map(({ title, lines, rows }) => {
        const commands = lines().flatMap((line) => wrapCommand(line, this.columns - 2));
        return [
          title,
          [...renderTerms(rows(), this.columns), ...commands.map((line) => `  ${line}`)],
        ] as const;
      })
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => `\n${title}:\n${lines.join("\n")}\n`);
    return [super.formatHelp(command, helper), ...sections].join("");
  }

  override styleUsage(usage: string): string {
    const usageTitle = "Usage: ";
    return wrapText(usage, this.columns - usageTitle.length).join(`\n${" ".repeat(usageTitle.length)}`);
  }

  override formatItem(term: string, termWidth: number, description: string): string {
    return renderTerm(term, termWidth, description, this.columns);
  }

  private get columns(): number {
    return this.helpWidth ?? 80;
  }
}
