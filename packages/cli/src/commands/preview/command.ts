import { type Command, Option } from "commander";
import { usageError } from "../../errors/usage-errors.js";
import { parseDuration } from "../../input/duration.js";
import { assertPathId } from "../../input/ids.js";
import type { MgmtCommand } from "../../program/command.js";
import { addDryRunOption, dryRunFormat } from "../../program/dry-run-option.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";
import type { PreviewFlags } from "./preview.js";

/** `mgmt preview up`. */
export const definePreviewUp: DefineCommand = (command, context) => {
  command
    .description(
      "Creates the preview database of a git branch as a copy of the default branch's database, waits until it is ready, and " +
        "prints its connection string. If it exists already, prints its connection string again.",
    )
    .option("--branch <name>", "git branch (default: of the CI job, or of this folder)")
    .option("--project-id <id>", "project of the database, by id or name (or MGMT_PROJECT_ID)")
    .option(
      "--file <path>",
      "write the connection string into this file, such as $GITHUB_ENV, and do not print it",
    )
    .option("--name <variable>", "variable in the file (default: DATABASE_URL)")
    .option("--timeout <time>", "how long to wait, such as 90s or 5m (default: 5m)");
  // Node.js 20 treats this flag as its own wherever it is, and fails if the file does not exist.
  command.addOption(new Option("--env-file <path>", "the same as --file").conflicts("file"));
  finish(command, ["mgmt preview up", 'mgmt preview up --file "$GITHUB_ENV"']);
  command.action(async () => {
    const { name = "DATABASE_URL", timeout = "5m", file, envFile = file } = command.opts<UpFlags>();
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      throw usageError(
        `--name cannot be ${JSON.stringify(name)}`,
        "A variable has letters, digits and _, and does not start with a digit.",
      );
    }
    const timeoutMs = parseDuration(timeout, "--timeout");
    const { runPreviewUp } = await import("./run-up.js");
    await runPreviewUp({ ...previewFlags(command), name, timeoutMs, envFile }, globalFlags(command), context);
  });
};

/** `mgmt preview down`. */
export const definePreviewDown: DefineCommand = (command, context) => {
  command
    .description(
      "Deletes the preview database of a git branch, and then the branch in the project unless it has other databases or " +
        "services. Succeeds if there is nothing to delete.",
    )
    .option("--branch <name>", "git branch (default: of the CI job, or of this folder)")
    .option("--project-id <id>", "project of the database, by id or name (or MGMT_PROJECT_ID)");
  finish(command, ["mgmt preview down --branch feature/cart"]);
  command.action(async () => {
    const { runPreviewDown } = await import("./run-down.js");
    await runPreviewDown(previewFlags(command), globalFlags(command), context);
  });
};

/** `mgmt preview gc`. */
export const definePreviewGc: DefineCommand = (command, context) => {
  command
    .description(
      "Deletes the preview databases whose branch no longer exists in the git remote. Run it in a clone of the repository.",
    )
    .option("--remote <name>", "git remote with the branches (default: origin)")
    .option("--project-id <id>", "project of the databases, by id or name (or MGMT_PROJECT_ID)");
  finish(command, ["mgmt preview gc --dry-run", "mgmt preview gc --yes"], true);
  command.action(async () => {
    const { remote = "origin" } = command.opts<{ remote?: string }>();
    const { runPreviewGc } = await import("./run-gc.js");
    await runPreviewGc({ ...previewFlags(command), remote }, globalFlags(command), context);
  });
};

interface UpFlags {
  name?: string;
  timeout?: string;
  file?: string;
  envFile?: string;
}

const finish = (command: MgmtCommand, examples: readonly string[], confirms = false): void => {
  addDryRunOption(command);
  addGlobalOptions(command, { confirms });
  addSections(command, { Examples: () => examples });
};

const previewFlags = (command: Command): PreviewFlags => {
  const { branch, projectId } = command.opts<{ branch?: string; projectId?: string }>();
  if (projectId !== undefined) assertPathId("--project-id", projectId);
  if (branch === "") throw usageError("--branch must not be empty");
  return { branch, projectId, dryRun: dryRunFormat(command) };
};
