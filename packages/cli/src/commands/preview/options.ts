import type { Command } from "commander";
import { otherReferenceError } from "../../errors/preview-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { assertPathId } from "../../input/ids.js";
import type { MgmtCommand, DeclaredErrors } from "../../command-line/command.js";
import { readDryRunFormat } from "../../input/dry-run-option.js";
import { removeHeadsPrefix } from "../../git/branch-name.js";
import type { PreviewFlags } from "../../preview/preview.js";

/** Additional next commands for errors of these commands. */
export const previewErrors: DeclaredErrors = {
  "preview:default_branch": { next: [["preview", "up", "--help"]] },
  "preview:setup_failed": { next: [["preview", "list"]] },
  "preview:several_remotes": { next: [["preview", "prune", "--help"]] },
  "preview:unknown_remote": { next: [["preview", "prune", "--help"]] },
};

/** Adds the flags that choose the project and the git repository. */
export const addPreviewProjectOptions = (command: MgmtCommand): void => {
  command
    .option("--project-id <id>", "project of the databases, by id or name (or MGMT_PROJECT_ID)")
    .option(
      "--remote <name>",
      "git remote of the repository, or its URL (default: of the CI job, origin, or the only remote)",
    );
};

/** Adds the flags that choose the git branch, the project, and the git repository. */
export const addPreviewBranchOptions = (command: MgmtCommand): void => {
  command.option("--branch <name>", "git branch (default: of the CI job, or of this folder)");
  addPreviewProjectOptions(command);
};

/** Reads the flags that choose the branch, the project, and the repository. Throws a usage error for a value that cannot be one. */
export const collectPreviewFlags = (command: Command): PreviewFlags => {
  const {
    branch: ref,
    projectId,
    remote,
  } = command.opts<{
    branch?: string;
    projectId?: string;
    remote?: string;
  }>();
  if (projectId !== undefined) assertPathId("--project-id", projectId);
  const branch = ref === undefined ? undefined : removeHeadsPrefix(ref);
  if (branch === "") throw usageError("--branch must not be empty");
  if (branch?.startsWith("refs/")) throw otherReferenceError(branch);
  if (remote === "") throw usageError("--remote must not be empty");
  return { branch, projectId, remote, dryRun: readDryRunFormat(command) };
};
