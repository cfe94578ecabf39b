import type { Failure } from "../../errors/failure.js";
import type { FailedCommand } from "./failed-command.js";

/** Words of a command, without `mgmt`. One with an unknown word is not suggested. */
export type Candidate = readonly (string | undefined)[];

/** The known facts about a failure. */
export interface Facts {
  readonly failure: Failure;
  readonly command: FailedCommand;
  /** Arguments of the command line. */
  readonly args: readonly (string | undefined)[];
  /**
   * The id of the item that failed, or the last id of the command line: that of the resource itself. Absent if the command
   * line has several, some of which may be deleted by now.
   */
  readonly id: string | undefined;
  /** Returns the text of a flag. */
  readonly flag: (name: string) => string | undefined;
  /** Returns a string that the error response has beyond its code. */
  readonly detail: (name: string) => string | undefined;
}

type Rule = (facts: Facts) => readonly Candidate[];

const authStatus: Candidate = ["auth", "status"];
const whoami: Candidate = ["whoami"];
const login: Candidate = ["login"];
const authHelp: Candidate = ["help", "auth"];

const listOf =
  (...words: string[]): Rule =>
  () => [[...words, "list"]];

/** Shows the resource that the command works on. */
const getOf =
  (group: string): Rule =>
  ({ id }) => [[group, "get", id]];

/** `services`, or `apps` for the deprecated commands. */
const appGroup = ({ command }: Facts): string => (command.words[0] === "apps" ? "apps" : "services");

const projectOf = ({ command, args, flag }: Facts): string | undefined =>
  command.words[0] === "projects" ? args[0] : flag("projectId");

const sourceDatabase = ({ flag }: Facts): string | undefined =>
  flag("sourceDatabaseId") ?? flag("fromDatabaseId");

const backupsOfSource: Rule = (facts) => [
  ["databases", "backups", "list", sourceDatabase(facts) ?? facts.id],
  ["databases", "list"],
];

/** Lists the resources of a group that have the logical id of the command line. */
const withLogicalId =
  (group: (facts: Facts) => string): Rule =>
  (facts) => [
    [group(facts), "list", "--logical-id", facts.flag("logicalId")],
    [group(facts), "list"],
  ];

const showApproval: Rule = (facts) => [
  ["agent-approvals", "get", facts.command.words[0] === "agent-approvals" ? facts.id : undefined],
  whoami,
];

const showHelp =
  (...words: string[]): Rule =>
  () => [[...words, "--help"]];

/** Whether a command line can be run again. Standard input cannot be read again. */
export const isRepeatable = ({ line }: FailedCommand): boolean => line.length > 0 && !line.includes("-");

/** The same command with a dry run, then confirmed. */
const previewFirst: Rule = ({ command }) => {
  const takesFlags = isRepeatable(command) && !command.line.includes("--");
  const flags = takesFlags ? ["--dry-run", "--yes"].filter((flag) => command.accepts.includes(flag)) : [];
  return flags.map((flag) => [...command.line, flag]);
};

/**
 * Commands that help after an error, the best first. Commands declare their own errors. Codes that are missing in both follow from the
 * exit code.
 */
export const nextByCode: Readonly<Record<string, Rule>> = {
  approval_required: (facts) => [["agent-approvals", "wait", facts.detail("approvalId")]],
  "approval:denied": showApproval,
  "approval:expired": showApproval,
  "approval:consumed": showApproval,
  "approval:not_found": () => [whoami],

  "project:not_found": listOf("projects"),
  "project:logical_id_conflict": withLogicalId(() => "projects"),
  "project:already_in_workspace": getOf("projects"),
  "project:has_dependencies": ({ id }) => [
    ["databases", "list", "--project-id", id],
    ["services", "list", "--project-id", id],
  ],
  "transfer:invalid_recipient_token": showHelp("projects", "transfer"),

  "database:not_found": listOf("databases"),
  "database:busy": getOf("databases"),
  "database:default_protected": ({ id }) => [
    ["databases", "get", id],
    ["databases", "list"],
  ],
  "database:logical_id_conflict": withLogicalId(() => "databases"),
  "database:source_not_ready": (facts) => [
    ["databases", "get", sourceDatabase(facts)],
    ["databases", "list"],
  ],
  "restore:invalid_source": backupsOfSource,
  "backup:unusable": backupsOfSource,
  "backup:not_found": backupsOfSource,
  "connection:not_found": listOf("connections"),

  "branch:not_found": (facts) => [
    ["projects", "branches", "list", projectOf(facts)],
    ["projects", "list"],
  ],
  "branch:already_exists": (facts) => [
    ["projects", "branches", "list", projectOf(facts), "--git-name", facts.flag("gitName") ?? facts.args[1]],
    ["projects", "branches", "list", projectOf(facts)],
  ],
  "branch:default_protected": getOf("branches"),
  "branch:has_resources": getOf("branches"),

  "app:not_found": (facts) => [[appGroup(facts), "list"]],
  "app:already_exists": (facts) => [
    [appGroup(facts), "get", facts.detail("existingAppId")],
    [appGroup(facts), "list"],
  ],
  "app:logical_id_conflict": withLogicalId(appGroup),
  "app:logical_id_bound": (facts) => [[appGroup(facts), "get", facts.id]],
  "app:deployments_not_deletable": (facts) => [[appGroup(facts), "deployments", "list", facts.id]],
  "deployment:not_found": (facts) => [
    [
      appGroup(facts),
      "deployments",
      "list",
      facts.command.words[0] === "deployments" ? undefined : facts.args[0],
    ],
    ["services", "list"],
  ],
  "deployment:not_running": (facts) => [[appGroup(facts), "deployments", "list", facts.args[0]]],
  "deployment:not_startable": getOf("deployments"),
  "deployment:not_stoppable": getOf("deployments"),
  "deployment:not_deletable": getOf("deployments"),

  "workspace:not_found": listOf("workspaces"),
  "integration:not_found": ({ command, args }) => [
    ["workspaces", "integrations", "list", ...(command.words[0] === "workspaces" ? args.slice(0, 1) : [])],
  ],
  "service_token:not_found": ({ args }) => [["workspaces", "service-tokens", "list", args[0]]],
  "route:method_not_allowed": () => [["operations"], authStatus],
  "route:not_found": () => [["operations"], ["doctor"]],

  "auth:login_required": () => [login, authStatus],
  "auth:empty_token": () => [authHelp],
  "auth:other_service": () => [authStatus, authHelp],
  "usage:no_base_url": () => [["help", "environment"], authHelp],
  "usage:empty_base_url": () => [["help", "environment"], authHelp],
  "profile:not_found": () => [["auth", "list"], authHelp],
  "profile:other_service": () => [authStatus, authHelp],
  "keyring:not_installed": () => [["login", "--store", "file"], authHelp],
  "keyring:unavailable": () => [["login", "--store", "file"], authHelp],
  "keyring:corrupt": () => [["login", "--store", "file"], authHelp],
  "link:corrupt": () => [["unlink"]],
  "link:unreadable": () => [["unlink"]],
  "profiles:corrupt": () => [["help", "environment"]],
  "profiles:unreadable": () => [["help", "environment"]],
  "profiles:untrusted": () => [["help", "environment"]],
  "profiles:unwritable": () => [["help", "environment"]],

  "confirmation:needed": previewFirst,
  "confirmation:declined": previewFirst,
  "name:not_found": () => [
    ["help", "names"],
    ["projects", "list"],
  ],
  "preview:git_failed": showHelp("preview", "prune"),
  "preview:git_refuses": showHelp("preview"),
  "preview:no_git": showHelp("preview"),
  "preview:no_git_branches": showHelp("preview", "prune"),
};
