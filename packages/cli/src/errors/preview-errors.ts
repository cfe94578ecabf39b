import { CliError } from "./cli-error.js";

export const noProject = (): CliError =>
  new CliError(
    "inputNeeded",
    "usage:missing",
    "Missing --project-id",
    "Pass --project-id, set MGMT_PROJECT_ID, or link this folder: mgmt link --project-id ID.",
  );

export const noBranch = (): CliError =>
  new CliError(
    "inputNeeded",
    "usage:missing",
    "Missing --branch: the folder is not on a branch of a git repository",
    "Pass --branch NAME. In GitHub Actions and GitLab CI the branch of the job is used.",
  );

export const notAPreview = (branch: string): CliError =>
  new CliError(
    "usage",
    "preview:default_branch",
    `${branch} is the default or the production branch of the project`,
    "Previews are for other branches. Pass one with --branch NAME.",
  );

export const gitFailed = (problem: string): CliError =>
  new CliError(
    "failure",
    "preview:git_failed",
    `The git branches cannot be listed: ${problem}`,
    "Nothing was deleted. Run the command in a clone that can reach its remote, or name another remote with --remote.",
  );

export const noGitBranches = (remote: string): CliError =>
  new CliError(
    "failure",
    "preview:no_git_branches",
    `The git remote ${remote} has no branches`,
    "Nothing was deleted. Pass the remote that previews are made from with --remote.",
  );
