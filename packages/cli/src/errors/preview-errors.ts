import { CliError } from "./cli-error.js";
import { invalidValueError, missingInputError } from "./usage-errors.js";

export const missingProjectError = (reason: string): CliError =>
  missingInputError(
    "Missing --project-id",
    `The command did not ask, because ${reason}. Pass --project-id, set MGMT_PROJECT_ID, or link this folder: mgmt link --project-id ID.`,
  );

/** @param reason why the branch is not known. */
export const missingBranchError = (reason: string): CliError =>
  new CliError(
    "inputNeeded",
    "usage:missing",
    `Missing --branch: ${reason}`,
    "Pass --branch NAME. In CI the branch of the job is used.",
  );

export const invalidBranchNameError = (name: string, problem: string): CliError =>
  invalidValueError(
    "--branch",
    `cannot be ${JSON.stringify(name)}: git does not accept it as the name of a branch, because ${problem}`,
    "Pass the name of a git branch, such as feature/cart.",
  );

export const otherReferenceError = (ref: string): CliError =>
  invalidValueError(
    "--branch",
    `cannot be ${JSON.stringify(ref)}: it refers to a tag, a pull request, or something else that is not a branch`,
    "Pass the name of a git branch, such as feature/cart. In CI, the branch of the job is used without the flag.",
  );

export const notAPreviewError = (branch: string): CliError =>
  new CliError(
    "usage",
    "preview:default_branch",
    `${branch} is the default or the production branch`,
    "Previews are for other branches. Pass one with --branch NAME.",
  );

export const noPreviewError = (branch: string): CliError =>
  new CliError(
    "notFound",
    "preview:not_found",
    `The branch ${branch} has no preview database`,
    "mgmt preview up creates it. mgmt preview list shows the previews of the project.",
    {
      next: [
        ["mgmt", "preview", "up", "--branch", branch],
        ["mgmt", "preview", "list"],
      ],
    },
  );

/** A database in the status `failure` never becomes ready. */
export const previewFailedError = (branch: string, databaseId: string): CliError =>
  new CliError(
    "failure",
    "preview:failed",
    `Database ${databaseId} of ${branch} could not be created by the service`,
    "Replace it with a new copy: mgmt preview reset",
    { next: [["mgmt", "preview", "reset", "--branch", branch]] },
  );

/** @param repositories those that have a preview of the branch. */
export const severalPreviewsError = (branch: string, repositories: readonly string[]): CliError =>
  new CliError(
    "refused",
    "preview:several",
    `${branch} has preview databases of ${String(repositories.length)} git repositories: ${repositories.join(", ")}`,
    "Run the command in a clone of one of them, or pass its URL with --remote.",
    { next: [["mgmt", "preview", "list"]] },
  );

export const noGitError = (): CliError =>
  new CliError(
    "failure",
    "preview:no_git",
    "The program git was not found",
    "Nothing was changed. Install git, and run the command in a clone of the repository. Without git, mgmt preview up needs --branch NAME.",
  );

/** @param stderr the output of git. */
export const gitRejectsError = (stderr: string): CliError => {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const problem = (lines[0] ?? "it does not say why").replace(/^(?:fatal|error): /, "");
  const gitConfigCommand = lines.find((line) => line.startsWith("git config "));
  return new CliError(
    "failure",
    "preview:git_refuses",
    `git does not read the repository of this folder: ${problem}`,
    `Nothing was changed. ${gitConfigCommand === undefined ? "Repair the repository" : `If you trust the folder, run ${gitConfigCommand}`}, or run the command in another folder with --branch NAME and --remote ADDRESS.`,
  );
};

export const gitFailedError = (problem: string): CliError =>
  new CliError(
    "failure",
    "preview:git_failed",
    `The git branches cannot be listed: ${problem}`,
    "Nothing was deleted. git must reach the remote without asking for a password, and with settings of your own: programs and certificates in the configuration of the repository are not used. Set them with git config --global or in GIT_SSH_COMMAND, or name another remote with --remote.",
  );

export const noGitBranchesError = (remote: string): CliError =>
  new CliError(
    "failure",
    "preview:no_git_branches",
    `The git remote ${remote} has no branches`,
    "Nothing was deleted. Pass the remote that previews are made from with --remote.",
  );

export const noRepositoryError = (): CliError =>
  new CliError(
    "inputNeeded",
    "usage:missing",
    "Missing --remote: the folder is not in a git repository that has a remote",
    "Nothing was deleted. Run the command in a clone of the repository, or pass the URL of its remote with --remote.",
  );

export const severalRemotesError = (names: readonly string[]): CliError =>
  new CliError(
    "inputNeeded",
    "preview:several_remotes",
    `The git repository has several remotes and none is named origin: ${names.join(", ")}`,
    "Pass the one that pull requests are merged in with --remote NAME.",
  );

export const unknownRemoteError = (name: string, remoteNames: readonly string[]): CliError =>
  new CliError(
    "usage",
    "preview:unknown_remote",
    `The git repository has no remote ${name}`,
    remoteNames.length === 0
      ? "Pass the URL of a repository, or run the command in a clone."
      : `Its remotes: ${remoteNames.join(", ")}. A URL is accepted too.`,
  );

/**
 * @param created whether this run created the database.
 * @param exitStatus exit status of the command.
 */
export const setupFailedError = (
  branch: string,
  { databaseId, created }: { readonly databaseId: string; readonly created: boolean },
  exitStatus: number,
): CliError =>
  new CliError(
    "failure",
    "preview:setup_failed",
    `The setup command exited with ${String(exitStatus)}. Database ${databaseId} of branch ${branch} ${created ? "was created" : "stays as it is"}`,
    "Correct the setup command, and run mgmt preview up again: it repeats the setup until it succeeds. mgmt preview reset starts over with a new copy.",
  );

export const setupRunningError = (branch: string): CliError =>
  new CliError(
    "pending",
    "preview:setup_running",
    `Another run of the setup of ${branch} has not ended yet`,
    "Run the same command again, or wait longer with --timeout.",
  );

export const noBackupError = (name: string, id: string): CliError =>
  new CliError(
    "notFound",
    "preview:no_backup",
    `The database ${name} has no completed backup`,
    "Without --from-backup, the preview becomes a copy of the database as it is now.",
    { next: [["mgmt", "databases", "backups", "list", id]] },
  );

/** @param problem the message of pg_dump. */
export const schemaDumpFailedError = (databaseId: string, problem: string): CliError =>
  new CliError(
    "failure",
    "preview:dump_failed",
    `The schema of database ${databaseId} cannot be read: ${problem}`,
    "Check that this machine can connect to the database: mgmt psql",
    { next: [["mgmt", "databases", "get", databaseId]] },
  );
