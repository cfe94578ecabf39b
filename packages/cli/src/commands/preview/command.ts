import type { Command } from "commander";
import { usageError } from "../../errors/usage-errors.js";
import { parseDuration, parsePeriod } from "../../input/duration.js";
import { assertPathId } from "../../input/ids.js";
import { assertVariableName } from "../../input/variable-name.js";
import type { MgmtCommand, DeclaredErrors } from "../../run/program/command.js";
import { addDryRunOption, dryRunFormat } from "../../input/dry-run-option.js";
import { globalFlags } from "../../run/program/global-options.js";
import type { CommandDeclaration, GroupDeclaration } from "../../run/program/declaration.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import type { PreviewFlags } from "../../preview/preview.js";
import type { UpOptions } from "./run-up.js";
import type { PreviewResult } from "../../preview/hand-over.js";
import type { ListedPreview } from "./run-list.js";
import type { ResetResult } from "./run-reset.js";
import type { SchemaDiff } from "./run-diff.js";
import type { DeletedPreview } from "../../preview/delete-preview.js";
import type { PrunedPreview } from "./run-prune.js";

export const previewGroup: GroupDeclaration = {
  words: "preview",
  heading: "provisioning",
  order: 50,
  summary: "Keep a database for each git branch",
};

const errors: DeclaredErrors = {
  "preview:default_branch": { next: [["preview", "up", "--help"]] },
  "preview:setup_failed": { next: [["preview", "list"]] },
  "preview:several_remotes": { next: [["preview", "prune", "--help"]] },
  "preview:unknown_remote": { next: [["preview", "prune", "--help"]] },
};

/** `mgmt preview up`. */
export const previewUpCommand: CommandDeclaration<PreviewResult> = {
  words: "preview up",
  order: 10,
  summary: "Create the database of a git branch unless it exists",
  description:
    "Creates the preview database of a git branch as a copy of the default branch's database, in the same region, waits until it " +
    "is ready, and prints its connection string. If it exists already, prints its connection string again.",
  examples: [
    "mgmt preview up",
    "mgmt preview up --github-env DATABASE_URL",
    'mgmt preview up --expires 7d --setup "npm run migrate"',
  ],
  errors,
  define: (command, context) => {
    addBranchOptions(command);
    addHandOverOptions(command);
    command.option("--setup-again", "run the setup also if one has succeeded already");
    addDryRunOption(command);
    command.action(async () => {
      const options = handOverOptions(command);
      const { runPreviewUp } = await import("./run-up.js");
      await runPreviewUp(options, globalFlags(command), context);
    });
  },
};

/** `mgmt preview list`. */
export const previewListCommand: CommandDeclaration<readonly ListedPreview[]> = {
  words: "preview list",
  order: 20,
  alias: "ls",
  summary: "List the databases of git branches",
  description:
    "Lists the preview databases of a project, with how their branches stand in git: checked-out, exists, gone, not-pushed, " +
    "other-repository or unknown.",
  examples: ["mgmt preview list", "mgmt preview list -o json"],
  errors,
  define: (command, context) => {
    addProjectOptions(command);
    command.action(async () => {
      const { runPreviewList } = await import("./run-list.js");
      await runPreviewList(previewFlags(command), globalFlags(command), context);
    });
  },
};

/** `mgmt preview reset`. */
export const previewResetCommand: CommandDeclaration<ResetResult> = {
  words: "preview reset",
  order: 30,
  summary: "Replace the database of a git branch by a fresh copy",
  description:
    "Replaces the preview database of a git branch by a fresh copy of its source. The new database has another id and connection " +
    "string. With --from-backup, the database is restored in place instead, and its connection strings keep working.",
  examples: ["mgmt preview reset --yes", 'mgmt preview reset --yes --setup "npm run migrate"'],
  confirms: true,
  errors,
  define: (command, context) => {
    addBranchOptions(command);
    command.option(
      "--from-backup [backup-id]",
      "restore a backup of the source, the latest one unless an id is given",
    );
    addHandOverOptions(command);
    addDryRunOption(command);
    command.action(async () => {
      const { fromBackup } = command.opts<{ fromBackup?: string | true }>();
      const options = handOverOptions(command);
      const { runPreviewReset } = await import("./run-reset.js");
      await runPreviewReset(
        { ...options, fromBackup: fromBackup === true ? "latest" : fromBackup },
        globalFlags(command),
        context,
      );
    });
  },
};

/** `mgmt preview diff`. */
export const previewDiffCommand: CommandDeclaration<SchemaDiff> = {
  words: "preview diff",
  order: 40,
  summary: "Compare the schema of a git branch's database with its source",
  description:
    "Shows how the schema of a git branch's preview database differs from that of the database it is a copy of, as a unified " +
    "diff. Needs psql, and a pg_dump that is not older than the database's Postgres.",
  examples: ["mgmt preview diff", "mgmt preview diff --exit-code"],
  errors,
  define: (command, context) => {
    addBranchOptions(command);
    command.option("--exit-code", "exit with 1 if the schemas differ, as git diff does");
    command.action(async () => {
      const { exitCode = false } = command.opts<{ exitCode?: boolean }>();
      const { runPreviewDiff } = await import("./run-diff.js");
      await runPreviewDiff({ ...previewFlags(command), exitCode }, globalFlags(command), context);
    });
  },
};

/** `mgmt preview down`. */
export const previewDownCommand: CommandDeclaration<DeletedPreview> = {
  words: "preview down",
  order: 50,
  summary: "Delete the database of a git branch",
  description:
    "Deletes the preview database of a git branch, and then the branch in the project unless it has other databases or " +
    "services. Succeeds if there is nothing to delete.",
  examples: ["mgmt preview down --branch feature/cart --yes"],
  confirms: true,
  errors,
  define: (command, context) => {
    addBranchOptions(command);
    addDryRunOption(command);
    command.action(async () => {
      const { runPreviewDown } = await import("./run-down.js");
      await runPreviewDown(previewFlags(command), globalFlags(command), context);
    });
  },
};

/** `mgmt preview prune`. */
export const previewPruneCommand: CommandDeclaration<readonly PrunedPreview[]> = {
  words: "preview prune",
  order: 60,
  summary: "Delete the databases that expired or whose git branch is gone",
  description:
    "Deletes the preview databases of a git repository that have expired, and those whose branch was in its remote and is gone " +
    "from there. Says first what it deletes and keeps, and why. Run it in a clone of the repository.",
  examples: ["mgmt preview prune --dry-run", "mgmt preview prune --yes"],
  confirms: true,
  errors,
  define: (command, context) => {
    addProjectOptions(command);
    command.option("--min-age <time>", "keep younger previews unless they have expired (default: 1d)");
    addDryRunOption(command);
    command.action(async () => {
      const { minAge = "1d" } = command.opts<{ minAge?: string }>();
      const minAgeMs = parsePeriod(minAge, "--min-age");
      const { runPreviewPrune } = await import("./run-prune.js");
      await runPreviewPrune({ ...previewFlags(command), minAgeMs }, globalFlags(command), context);
    });
  },
};

const addProjectOptions = (command: MgmtCommand): void => {
  command
    .option("--project-id <id>", "project of the databases, by id or name (or MGMT_PROJECT_ID)")
    .option(
      "--remote <name>",
      "git remote of the repository, or its address (default: of the CI job, origin, or the only remote)",
    );
};

const addBranchOptions = (command: MgmtCommand): void => {
  command.option("--branch <name>", "git branch (default: of the CI job, or of this folder)");
  addProjectOptions(command);
};

const addHandOverOptions = (command: MgmtCommand): void => {
  command
    .option(
      "--file <path>",
      "write the connection string into this env file, - for standard output, and not into the result",
    )
    .option("--name <variable>", "variable in the file, and for the setup (default: DATABASE_URL)")
    .option("--pooled", "print the connection string of the connection pooler")
    .option("--expires <time>", "let mgmt preview prune delete it after a time such as 12h or 7d, or never")
    .option(
      "--setup <command>",
      "shell command to run once the preview is ready, until it has succeeded once, with DATABASE_URL set",
    )
    .option("--timeout <time>", "how long to wait, such as 90s or 5m (default: 5m)");
  addSecretOptions(command);
};

interface HandOverFlags {
  name?: string;
  timeout?: string;
  file?: string;
  expires?: string;
  setup?: string;
  setupAgain?: boolean;
  pooled?: boolean;
}

const handOverOptions = (command: Command): UpOptions => {
  const {
    name = "DATABASE_URL",
    timeout = "5m",
    file,
    expires,
    setup,
    setupAgain = false,
    pooled = false,
  } = command.opts<HandOverFlags>();
  assertVariableName(name);
  if (setup?.trim() === "") throw usageError("--setup must not be empty");
  if (setupAgain && setup === undefined) throw usageError("--setup-again needs --setup");
  const timeoutMs = parseDuration(timeout, "--timeout");
  const expiresAt = expires === undefined ? undefined : timeOf(expires);
  const secretFlags = command.opts<SecretFlags>();
  return {
    ...previewFlags(command),
    name,
    timeoutMs,
    file,
    pooled,
    secretFlags,
    expiresAt,
    setup,
    setupAgain,
  };
};

/** Returns the full minute in which a time from now ends, or null for never. */
const timeOf = (expires: string): string | null => {
  if (expires === "never") return null;
  const period = parsePeriod(expires, "--expires");
  if (period === 0) throw usageError("--expires must not be 0", "mgmt preview down deletes a preview now.");
  const end = Date.now() + period;
  return new Date(Math.ceil(end / 60_000) * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
};

const previewFlags = (command: Command): PreviewFlags => {
  const { branch, projectId, remote } = command.opts<{
    branch?: string;
    projectId?: string;
    remote?: string;
  }>();
  if (projectId !== undefined) assertPathId("--project-id", projectId);
  if (branch === "") throw usageError("--branch must not be empty");
  if (remote === "") throw usageError("--remote must not be empty");
  return { branch, projectId, remote, dryRun: dryRunFormat(command) };
};
