import { CliError } from "./cli-error.js";

/** The manifest cannot be used. Each problem says where it is. */
export const invalidManifest = (problems: readonly string[]): CliError =>
  new CliError(
    "usage",
    "manifest:invalid",
    problems.length === 1 ? (problems[0] ?? "") : `${problems.length} problems: ${problems.join("; ")}`,
    "Nothing was sent. The file mgmt.schema.json in the package @mgmt/cli describes the format.",
  );

/** The file does not contain a manifest at all. */
export const noManifest = (file: string, content: string): CliError =>
  new CliError(
    "usage",
    "manifest:invalid",
    `${file} is not a manifest: it ${content}`,
    "A manifest starts with the line `version: 1`. mgmt export prints one of what you have.",
    { next: [["mgmt", "export"]] },
  );

export const invalidPlan = (file: string): CliError =>
  new CliError(
    "usage",
    "plan:invalid",
    `${file} is not a saved plan`,
    "Pass a file that mgmt plan --out wrote.",
  );

export const planOfOtherService = (planned: string, baseUrl: string): CliError =>
  new CliError(
    "refused",
    "plan:other_service",
    `The plan is for ${planned}, but the command uses ${baseUrl}`,
    "Pass the profile or the address that the plan was made with.",
  );

export const outdatedPlan = (changes: readonly string[]): CliError =>
  new CliError(
    "refused",
    "plan:outdated",
    `The plan is out of date, and nothing was changed: ${changes.join("; ")}`,
    "Run mgmt plan again, review it, and apply the new plan.",
  );

export const unknownProject = (key: string): CliError =>
  new CliError(
    "notFound",
    "export:not_found",
    `There is no project with the id or logical id ${key}`,
    "mgmt projects list shows the projects. A project without a logical id cannot be exported.",
    { next: [["mgmt", "projects", "list"]] },
  );

export const applyFailed = (problem: string, done: number, all: number): CliError =>
  new CliError(
    "partlyDone",
    "apply:partly_done",
    `${problem}. ${done} of ${all} steps were done`,
    "The result lists every step. Once the cause is fixed, run mgmt apply with the manifest: it continues with the rest.",
  );
