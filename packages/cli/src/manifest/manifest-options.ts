import { type Command, Option } from "commander";

/** Adds the options of commands that compare a manifest with the service. */
export const addManifestOptions = (command: Command): void => {
  command
    .option("-f, --file <path>", "manifest, - for standard input (default: mgmt.yaml)")
    .option(
      "--prune",
      "also delete what these projects contain but the manifest does not; never deletes projects",
    )
    .addOption(
      new Option(
        "--target <name>",
        "only this entry, what is in it and what it depends on, such as shop/main/reports (repeatable)",
      ).argParser((name: string, previous: string[] = []): string[] => [...previous, name]),
    );
};
