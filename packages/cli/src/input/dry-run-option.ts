import { type Command, Option } from "commander";
import { usageError } from "../errors/usage-errors.js";

/** The values of `--dry-run`. */
export const dryRunFormats = ["json", "curl"] as const;
/** How `--dry-run` prints the request that a command would send: as JSON, or as a command line of curl. */
export type DryRunFormat = (typeof dryRunFormats)[number];

/** The flag that `--dry-run=curl` is parsed as: commander would take the next argument for an optional value. */
const dryRunFormatFlag = "--dry-run-as";

/** Adds `--dry-run`, `--dry-run=json` and `--dry-run=curl`. */
export const addDryRunOption = (command: Command, { hidden = false } = {}): void => {
  const help = "print the requests as JSON instead of sending them; --dry-run=curl prints curl commands";
  command.addOption(new Option("--dry-run", help).hideHelp(hidden));
  command.addOption(
    new Option(`${dryRunFormatFlag} <format>`).hideHelp().argParser((formatName): DryRunFormat => {
      const format = dryRunFormats.find((name) => name === formatName);
      if (format !== undefined) return format;
      throw usageError(
        `--dry-run cannot be ${JSON.stringify(formatName)}`,
        `Allowed: ${dryRunFormats.join(", ")}.`,
      );
    }),
  );
};

/** Rewrites `--dry-run=curl` to the flag that is parsed. Words after `--` are not flags. */
export const rewriteDryRunFlag = (args: readonly string[]): string[] => {
  const end = args.indexOf("--");
  return args.map((arg, index) =>
    end >= 0 && index > end ? arg : arg.replace(/^--dry-run=/, `${dryRunFormatFlag}=`),
  );
};

/** Returns the format of `--dry-run`, or undefined without that flag. */
export const readDryRunFormat = (command: Command): DryRunFormat | undefined => {
  const { dryRun, dryRunAs } = command.opts<{ dryRun?: boolean; dryRunAs?: DryRunFormat }>();
  return dryRunAs ?? (dryRun ? "json" : undefined);
};
