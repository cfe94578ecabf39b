import { exitCodes } from "../../errors/exit-codes.js";
import type { Failure } from "../../errors/failure.js";
import type { FailedCommand } from "./failed-command.js";

/** Words of a command, without `mgmt`. One with an unknown word is not suggested. */
export type CommandCandidate = readonly (string | undefined)[];

/** The details of a failure. */
export interface FailureDetails {
  readonly failure: Failure;
  readonly command: FailedCommand;
  /** Arguments of the command line. */
  readonly args: readonly (string | undefined)[];
  /**
   * The id of the resource that failed, or the last id of the command line, which is the resource's own. Absent if the command
   * line has several, some of which may be deleted by now.
   */
  readonly id: string | undefined;
  /** Returns the text of a flag. */
  readonly readFlag: (name: string) => string | undefined;
  /** Returns a string that the error response has beyond its code. */
  readonly readDetail: (name: string) => string | undefined;
}

type NextRule = (details: FailureDetails) => readonly CommandCandidate[];

const authStatusCommand: CommandCandidate = ["auth", "status"];
const whoamiCommand: CommandCandidate = ["whoami"];
const loginCommand: CommandCandidate = ["login"];
const authHelpCommand: CommandCandidate = ["help", "auth"];

const suggestList =
  (...commandPath: string[]): NextRule =>
  () => [[...commandPath, "list"]];

/** Shows the resource that the command works on. */
const suggestGet =
  (group: string): NextRule =>
  ({ id }) => [[group, "get", id]];

/** `services`, or `apps` for the deprecated commands. */
const getAppGroup = ({ command }: FailureDetails): string =>
  command.commandPath[0] === "apps" ? "apps" : "services";

const findProjectId = ({ command, args, readFlag }: FailureDetails): string | undefined =>
  command.commandPath[0] === "projects" ? args[0] : readFlag("projectId");

const findSourceDatabaseId = ({ readFlag }: FailureDetails): string | undefined =>
  readFlag("sourceDatabaseId") ?? readFlag("fromDatabaseId");

const suggestSourceBackups: NextRule = (details) => [
  ["databases", "backups", "list", findSourceDatabaseId(details) ?? details.id],
  ["databases", "list"],
];

/** Lists the resources of a group that have the logical id of the command line. */
const suggestByLogicalId =
  (getGroup: (details: FailureDetails) => string): NextRule =>
  (details) => [
    [getGroup(details), "list", "--logical-id", details.readFlag("logicalId")],
    [getGroup(details), "list"],
  ];

const suggestApproval: NextRule = (details) => [
  ["agent-approvals", "get", details.command.commandPath[0] === "agent-approvals" ? details.id : undefined],
  whoamiCommand,
];

/** Lists the approvals, unless the control surface has rejected its secret. */
const suggestApprovalList: NextRule = ({ failure, command, readFlag }) => {
  if (command.commandPath[1] !== "approvals" || failure.exitCode === exitCodes.forbidden) return [];
  const flags: readonly (readonly [string, string | undefined])[] = [
    ["--profile", command.flags.profile],
    ["--control-url", readFlag("controlUrl")],
    ["--control-secret-file", readFlag("controlSecretFile")],
  ];
  const setFlags = flags.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return [["dev", "approvals", "list", ...setFlags]];
};

const suggestHelp =
  (...commandPath: string[]): NextRule =>
  () => [[...commandPath, "--help"]];

/** Returns whether a command line can be run again. Standard input cannot be read again. */
export const isRepeatable = ({ line }: FailedCommand): boolean => line.length > 0 && !line.includes("-");

/** Suggests the same command with `--dry-run`, and then with a confirmation. */
const suggestDryRun: NextRule = ({ command }) => {
  const takesFlags = isRepeatable(command) && !command.line.includes("--");
  const flags = takesFlags
    ? ["--dry-run", "--yes"].filter((flag) => command.acceptedFlags.includes(flag))
    : [];
  return flags.map((flag) => [...command.line, flag]);
};

/**
 * Commands that help after an error, the best first. Commands declare their own errors. Codes that are missing in both follow from the
 * exit code.
 */
export const nextByCode: Readonly<Record<string, NextRule>> = {
  approval_required: (details) => [["agent-approvals", "wait", details.readDetail("approvalId")]],
  "query:failed": suggestHelp("query"),
  "platform:test_database_failed": suggestHelp("run"),
  "platform:test_files_missing": suggestHelp("run"),
  "platform:test_setup_failed": suggestHelp("run"),
  "platform:test_setup_timeout": suggestHelp("run"),
  "approval:denied": suggestApproval,
  "approval:expired": suggestApproval,
  "approval:consumed": suggestApproval,
  "approval:not_found": () => [whoamiCommand],

  "project:not_found": suggestList("projects"),
  "project:logical_id_conflict": suggestByLogicalId(() => "projects"),
  "project:already_in_workspace": suggestGet("projects"),
  "project:has_dependencies": ({ id }) => [
    ["databases", "list", "--project-id", id],
    ["services", "list", "--project-id", id],
  ],
  "transfer:invalid_recipient_token": suggestHelp("projects", "transfer"),

  "database:not_found": suggestList("databases"),
  "database:busy": suggestGet("databases"),
  "database:default_protected": ({ id }) => [
    ["databases", "get", id],
    ["databases", "list"],
  ],
  "database:logical_id_conflict": suggestByLogicalId(() => "databases"),
  "database:source_not_ready": (details) => [
    ["databases", "get", findSourceDatabaseId(details)],
    ["databases", "list"],
  ],
  "restore:invalid_source": suggestSourceBackups,
  "backup:unusable": suggestSourceBackups,
  "backup:not_found": suggestSourceBackups,
  "connection:not_found": suggestList("connections"),

  "branch:not_found": (details) => [
    ["projects", "branches", "list", findProjectId(details)],
    ["projects", "list"],
  ],
  "branch:already_exists": (details) => [
    [
      "projects",
      "branches",
      "list",
      findProjectId(details),
      "--git-name",
      details.readFlag("gitName") ?? details.args[1],
    ],
    ["projects", "branches", "list", findProjectId(details)],
  ],
  "branch:default_protected": suggestGet("branches"),
  "branch:has_resources": suggestGet("branches"),

  "app:not_found": (details) => [[getAppGroup(details), "list"]],
  "app:already_exists": (details) => [
    [getAppGroup(details), "get", details.readDetail("existingAppId")],
    [getAppGroup(details), "list"],
  ],
  "app:logical_id_conflict": suggestByLogicalId(getAppGroup),
  "app:logical_id_bound": (details) => [[getAppGroup(details), "get", details.id]],
  "app:deployments_not_deletable": (details) => [[getAppGroup(details), "deployments", "list", details.id]],
  "deployment:not_found": (details) => [
    [
      getAppGroup(details),
      "deployments",
      "list",
      details.command.commandPath[0] === "deployments" ? undefined : details.args[0],
    ],
    ["services", "list"],
  ],
  "deployment:not_running": (details) => [[getAppGroup(details), "deployments", "list", details.args[0]]],
  "deployment:not_startable": suggestGet("deployments"),
  "deployment:not_stoppable": suggestGet("deployments"),
  "deployment:not_deletable": suggestGet("deployments"),

  "workspace:not_found": suggestList("workspaces"),
  "integration:not_found": ({ command, args }) => [
    [
      "workspaces",
      "integrations",
      "list",
      ...(command.commandPath[0] === "workspaces" ? args.slice(0, 1) : []),
    ],
  ],
  "service_token:not_found": ({ args }) => [["workspaces", "service-tokens", "list", args[0]]],
  "control:refused": suggestApprovalList,
  "route:method_not_allowed": () => [["operations"]],
  "route:not_found": () => [["operations"], ["doctor"]],

  "auth:login_required": () => [loginCommand, authStatusCommand],
  "auth:empty_token": () => [authHelpCommand],
  "auth:other_service": () => [authStatusCommand, authHelpCommand],
  "usage:no_base_url": () => [["help", "environment"], authHelpCommand],
  "usage:empty_base_url": () => [["help", "environment"], authHelpCommand],
  "profile:not_found": () => [["auth", "list"], authHelpCommand],
  "profile:other_service": () => [authStatusCommand, authHelpCommand],
  "keyring:not_installed": () => [["login", "--store", "file"], authHelpCommand],
  "keyring:unavailable": () => [["login", "--store", "file"], authHelpCommand],
  "keyring:corrupt": () => [["login", "--store", "file"], authHelpCommand],
  "link:corrupt": () => [["unlink"]],
  "link:unreadable": () => [["unlink"]],
  "profiles:corrupt": () => [["help", "environment"]],
  "profiles:unreadable": () => [["help", "environment"]],
  "profiles:untrusted": () => [["help", "environment"]],
  "profiles:unwritable": () => [["help", "environment"]],

  "confirmation:needed": suggestDryRun,
  "confirmation:declined": suggestDryRun,
  "name:not_found": () => [
    ["help", "names"],
    ["projects", "list"],
  ],
  "preview:git_failed": suggestHelp("preview", "prune"),
  "preview:git_refuses": suggestHelp("preview"),
  "preview:no_git": suggestHelp("preview"),
  "preview:no_git_branches": suggestHelp("preview", "prune"),
};
