import { quoteShellWord } from "../text/shell-word.js";
import { stripUrlCredentials } from "../text/strip-url-credentials.js";
import { describeCause, CliError } from "./cli-error.js";

/** How many problems of a manifest are listed. One wrong character can be the cause of a problem on every line after it. */
const maxListedProblems = 10;

/** The manifest cannot be used. Each problem has its position. */
export const invalidManifestError = (problems: readonly string[]): CliError =>
  new CliError(
    "usage",
    "manifest:invalid",
    problems.length === 1
      ? (problems[0] ?? "")
      : `${problems.length} problems: ${formatProblemList(problems)}`,
    "Nothing was sent. The file mgmt.schema.json in the package @mgmt/cli describes the format.",
  );

const formatProblemList = (problems: readonly string[]): string => {
  const unlistedCount = problems.length - maxListedProblems;
  return [
    ...problems.slice(0, maxListedProblems),
    ...(unlistedCount > 0 ? [`and ${unlistedCount} more`] : []),
  ].join("; ");
};

export const unreadableManifestError = (path: string, cause: unknown): CliError =>
  new CliError(
    "usage",
    "usage:unreadable_file",
    `The manifest ${path} cannot be read (${describeCause(cause)})`,
    "Pass the path of a manifest with --file, or write one of what you have: mgmt export > mgmt.yaml",
    { next: [["mgmt", "export"]] },
  );

/** The file does not contain a manifest at all. */
export const notAManifestError = (path: string, content: string): CliError =>
  new CliError(
    "usage",
    "manifest:invalid",
    `${path} is not a manifest: it ${content}`,
    "A manifest starts with the line `version: 1`. mgmt export prints one of what you have.",
    { next: [["mgmt", "export"]] },
  );

export const unknownTargetError = (target: string, similarNames: readonly string[]): CliError =>
  new CliError(
    "usage",
    "target:not_found",
    `--target: neither the manifest nor its projects contain ${JSON.stringify(target)}`,
    similarNames.length > 0
      ? `Did you mean ${similarNames.join(" or ")}?`
      : "Pass a name as mgmt plan prints it, such as shop/main/reports.",
  );

export const ambiguousTargetError = (target: string, names: readonly string[]): CliError =>
  new CliError(
    "usage",
    "target:ambiguous",
    `--target ${JSON.stringify(target)} names several entries: ${names.join(", ")}`,
    `Pass the kind too: --target ${JSON.stringify(names[0] ?? "")}.`,
  );

/** @param problem the problem of the file. */
export const invalidPlanError = (path: string, problem: string): CliError =>
  new CliError(
    "usage",
    "plan:invalid",
    `${path} was not written by mgmt plan: ${problem}`,
    "Nothing was changed. Pass a file that mgmt plan --out wrote.",
  );

export const planNotJsonError = (path: string): CliError =>
  /\.ya?ml$/i.test(path)
    ? new CliError(
        "usage",
        "plan:invalid",
        `${path} is not a saved plan`,
        `Nothing was changed. If it is a manifest, pass it with --file: mgmt apply --file ${quoteShellWord(path)}`,
        { next: [["mgmt", "plan", "--file", path]] },
      )
    : invalidPlanError(path, "it is not JSON, or it is cut off");

export const planOfOtherServiceError = (planBaseUrl: string, baseUrl: string): CliError =>
  new CliError(
    "refused",
    "plan:other_service",
    `The plan is for ${stripUrlCredentials(planBaseUrl)}, but the command uses ${stripUrlCredentials(baseUrl)}`,
    "Pass the profile or the URL that the plan was made with.",
  );

export const outdatedPlanError = (changes: readonly string[]): CliError =>
  new CliError(
    "refused",
    "plan:outdated",
    `The plan is out of date, and nothing was changed: ${changes.join("; ")}`,
    "Run mgmt plan again, review it, and apply the new plan.",
  );

/** @param similarNames names that are similar. */
export const unknownProjectError = (key: string, similarNames: readonly string[]): CliError =>
  new CliError(
    "notFound",
    "export:not_found",
    `There is no project with the id, logical id or name ${JSON.stringify(key)}`,
    `${similarNames.length > 0 ? `Did you mean ${similarNames.join(" or ")}? ` : ""}mgmt projects list shows the projects.`,
    { next: [["mgmt", "projects", "list"]] },
  );

export const severalProjectsError = (name: string, ids: readonly string[]): CliError =>
  new CliError(
    "refused",
    "export:ambiguous",
    `Several projects have the name ${JSON.stringify(name)}: ${ids.join(", ")}`,
    "Pass the id of one of them.",
    { next: ids.map((id) => ["mgmt", "export", id]) },
  );

/** @param nextCommand the command that shows what is left to do. */
export const applyFailedError = (
  problem: string,
  doneCount: number,
  stepCount: number,
  nextCommand: readonly string[],
): CliError =>
  new CliError(
    "partlyDone",
    "apply:partly_done",
    `${problem}. ${doneCount} of ${stepCount} steps were done`,
    "The result lists every step. Once the cause is fixed, run mgmt apply with the manifest: it continues with the rest.",
    { next: [nextCommand] },
  );

/**
 * A signal terminated the run between or during the steps.
 *
 * @param nextCommand the command that shows what is left to do.
 */
export const applyInterruptedError = (
  interruption: unknown,
  doneCount: number,
  stepCount: number,
  nextCommand: readonly string[],
): unknown =>
  interruption instanceof CliError
    ? new CliError(
        interruption.reason,
        interruption.code,
        `${interruption.message}. ${doneCount} of ${stepCount} steps were done`,
        "The result lists every step. Run mgmt apply with the manifest again: it continues with the rest.",
        { next: [nextCommand] },
      )
    : interruption;
