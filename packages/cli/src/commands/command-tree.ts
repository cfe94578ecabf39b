import type { PorcelainCommand } from "../program/porcelain.js";

const login: PorcelainCommand = {
  name: "login",
  summary: "Log in with the browser or a token",
  load: async () => (await import("./login/command.js")).defineLogin,
};
const logout: PorcelainCommand = {
  name: "logout",
  summary: "Log out and forget the credential",
  load: async () => (await import("./logout/command.js")).defineLogout,
};

const authCommands: readonly PorcelainCommand[] = [
  login,
  logout,
  {
    name: "list",
    alias: "ls",
    summary: "List the profiles and whose credential each has",
    load: async () => (await import("./auth-list/command.js")).defineAuthList,
  },
  {
    name: "status",
    summary: "Show which service and credential commands use",
    load: async () => (await import("./auth-status/command.js")).defineAuthStatus,
  },
  {
    name: "token",
    summary: "Print the token that commands send",
    load: async () => (await import("./auth-token/command.js")).defineAuthToken,
  },
  {
    name: "switch",
    summary: "Change the active profile",
    load: async () => (await import("./auth-switch/command.js")).defineAuthSwitch,
  },
];

const configCommands: readonly PorcelainCommand[] = [
  {
    name: "list",
    alias: "ls",
    summary: "List the defaults and where each comes from",
    load: async () => (await import("./config/command.js")).defineConfigList,
  },
  {
    name: "get",
    summary: "Print a default",
    load: async () => (await import("./config/command.js")).defineConfigGet,
  },
  {
    name: "set",
    summary: "Store a default in the profile",
    load: async () => (await import("./config/command.js")).defineConfigSet,
  },
  {
    name: "unset",
    summary: "Remove a default from the profile",
    load: async () => (await import("./config/command.js")).defineConfigUnset,
  },
];

const devCommands: readonly PorcelainCommand[] = [
  {
    name: "approvals",
    summary: "Approve or deny the requests of agents",
    subcommands: [
      {
        name: "list",
        alias: "ls",
        summary: "List all approvals, oldest first",
        load: async () => (await import("./dev-approvals/command.js")).defineList,
      },
      {
        name: "approve",
        summary: "Approve a request",
        load: async () => (await import("./dev-approvals/command.js")).defineApprove,
      },
      {
        name: "deny",
        summary: "Deny a request",
        load: async () => (await import("./dev-approvals/command.js")).defineDeny,
      },
    ],
  },
];

const account = "Account:";
const declarative = "Provisioning:";
const machine = "This machine:";
const about = "About:";

/** Every hand-written command below `mgmt`, in the order of the overview. Each one's folder has its definition and its run. */
export const porcelainCommands: readonly PorcelainCommand[] = [
  { ...login, heading: account },
  { ...logout, heading: account },
  {
    name: "whoami",
    summary: "Show who the credential belongs to",
    heading: account,
    load: async () => (await import("./whoami/command.js")).defineWhoami,
  },
  {
    name: "auth",
    summary: "Log in and out, manage profiles and tokens",
    heading: account,
    subcommands: authCommands,
  },
  {
    name: "config",
    summary: "Show and change the defaults of commands",
    heading: account,
    subcommands: configCommands,
  },
  {
    name: "export",
    summary: "Print a manifest of projects and what is in them",
    heading: declarative,
    load: async () => (await import("./export/command.js")).defineExport,
  },
  {
    name: "plan",
    summary: "Show what applying a manifest would change",
    heading: declarative,
    load: async () => (await import("./plan/command.js")).definePlan,
  },
  {
    name: "apply",
    summary: "Make the service match a manifest",
    heading: declarative,
    load: async () => (await import("./apply/command.js")).defineApply,
  },
  {
    name: "rehearse",
    summary: "Run a command against a local copy, also with faults",
    heading: declarative,
    load: async () => (await import("./rehearse/command.js")).defineRehearse,
  },
  {
    name: "preview",
    summary: "Keep a database for each git branch",
    heading: declarative,
    subcommands: [
      {
        name: "up",
        summary: "Create the database of a git branch unless it exists",
        load: async () => (await import("./preview/command.js")).definePreviewUp,
      },
      {
        name: "down",
        summary: "Delete the database of a git branch",
        load: async () => (await import("./preview/command.js")).definePreviewDown,
      },
      {
        name: "gc",
        summary: "Delete the databases whose git branch is gone",
        load: async () => (await import("./preview/command.js")).definePreviewGc,
      },
    ],
  },
  {
    name: "link",
    summary: "Choose the profile, workspace and project for this folder",
    heading: machine,
    load: async () => (await import("./link/command.js")).defineLink,
  },
  {
    name: "unlink",
    summary: "Remove the link of this folder",
    heading: machine,
    load: async () => (await import("./unlink/command.js")).defineUnlink,
  },
  {
    name: "dev",
    summary: "Run the service on this machine, with real Postgres databases",
    heading: machine,
    load: async () => (await import("./dev/command.js")).defineDev,
    subcommands: devCommands,
  },
  {
    name: "env",
    summary: "Write the connection string of a database into .env",
    heading: machine,
    load: async () => (await import("./env/command.js")).defineEnv,
  },
  {
    name: "run",
    summary: "Run a command with DATABASE_URL in its environment",
    heading: machine,
    load: async () => (await import("./run/command.js")).defineRun,
  },
  {
    name: "psql",
    summary: "Open a database in psql",
    heading: machine,
    load: async () => (await import("./psql/command.js")).definePsql,
  },
  {
    name: "open",
    summary: "Open a resource or the API's description in the browser",
    heading: machine,
    load: async () => (await import("./open/command.js")).defineOpen,
  },
  {
    name: "api",
    summary: "Send any request to the API",
    heading: about,
    load: async () => (await import("./api/command.js")).defineApi,
  },
  {
    name: "doctor",
    summary: "Check this machine, the service and the credential",
    heading: about,
    load: async () => (await import("./doctor/command.js")).defineDoctor,
  },
  {
    name: "operations",
    summary: "List all operations of the API",
    heading: about,
    load: async () => (await import("./operations/command.js")).defineOperations,
  },
  {
    name: "schema",
    summary: "Show the JSON Schema of what a command prints, and its exit codes",
    heading: about,
    load: async () => (await import("./schema/command.js")).defineSchema,
  },
  {
    name: "completion",
    summary: "Print a completion script for bash, zsh, fish or PowerShell",
    heading: about,
    load: async () => (await import("./completion/command.js")).defineCompletion,
  },
  {
    name: "complete",
    summary: "Print what the last word of a command line could become",
    hidden: true,
    load: async () => (await import("./completion/command.js")).defineComplete,
  },
  {
    name: "help",
    summary: "Show help for a command",
    heading: about,
    load: async () => (await import("./help/command.js")).defineHelp,
  },
];

/** Hand-written commands inside the groups of the API's operations, by group. */
export const groupCommands: Readonly<Record<string, readonly PorcelainCommand[]>> = {
  "agent-approvals": [
    {
      name: "wait",
      summary: "Wait until the sponsor has decided",
      load: async () => (await import("./agent-approvals-wait/command.js")).defineAgentApprovalsWait,
    },
  ],
};
