import type { PorcelainCommand } from "../program/porcelain.js";
import { defineAgentApprovalsWait } from "./agent-approvals-wait/command.js";
import { defineApply } from "./apply/command.js";
import { defineAuthStatus } from "./auth-status/command.js";
import { defineAuthSwitch } from "./auth-switch/command.js";
import { defineAuthToken } from "./auth-token/command.js";
import { defineComplete, defineCompletion } from "./completion/command.js";
import { defineApprove, defineDeny, defineList } from "./dev-approvals/command.js";
import { defineDev } from "./dev/command.js";
import { defineEnv } from "./env/command.js";
import { defineExport } from "./export/command.js";
import { defineHelp } from "./help/command.js";
import { defineLink } from "./link/command.js";
import { defineLogin } from "./login/command.js";
import { defineLogout } from "./logout/command.js";
import { defineOperations } from "./operations/command.js";
import { definePlan } from "./plan/command.js";
import { definePreviewDown, definePreviewGc, definePreviewUp } from "./preview/command.js";
import { definePsql } from "./psql/command.js";
import { defineRun } from "./run/command.js";
import { defineSchema } from "./schema/command.js";
import { defineUnlink } from "./unlink/command.js";
import { defineWhoami } from "./whoami/command.js";

const login: PorcelainCommand = {
  name: "login",
  summary: "Log in with the browser or a token",
  define: defineLogin,
};
const logout: PorcelainCommand = {
  name: "logout",
  summary: "Log out and forget the credential",
  define: defineLogout,
};

const authCommands: readonly PorcelainCommand[] = [
  login,
  logout,
  {
    name: "status",
    summary: "Show which service and credential commands use",
    define: defineAuthStatus,
  },
  {
    name: "token",
    summary: "Print the token that commands send",
    define: defineAuthToken,
  },
  {
    name: "switch",
    summary: "Change the active profile",
    define: defineAuthSwitch,
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
        define: defineList,
      },
      {
        name: "approve",
        summary: "Approve a request",
        define: defineApprove,
      },
      {
        name: "deny",
        summary: "Deny a request",
        define: defineDeny,
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
    define: defineWhoami,
  },
  {
    name: "auth",
    summary: "Log in and out, manage profiles and tokens",
    heading: account,
    subcommands: authCommands,
  },
  {
    name: "export",
    summary: "Print a manifest of projects and what is in them",
    heading: declarative,
    define: defineExport,
  },
  {
    name: "plan",
    summary: "Show what applying a manifest would change",
    heading: declarative,
    define: definePlan,
  },
  {
    name: "apply",
    summary: "Make the service match a manifest",
    heading: declarative,
    define: defineApply,
  },
  {
    name: "preview",
    summary: "Keep a database for each git branch",
    heading: declarative,
    subcommands: [
      {
        name: "up",
        summary: "Create the database of a git branch unless it exists",
        define: definePreviewUp,
      },
      { name: "down", summary: "Delete the database of a git branch", define: definePreviewDown },
      {
        name: "gc",
        summary: "Delete the databases whose git branch is gone",
        define: definePreviewGc,
      },
    ],
  },
  {
    name: "link",
    summary: "Choose the profile, workspace and project for this folder",
    heading: machine,
    define: defineLink,
  },
  {
    name: "unlink",
    summary: "Remove the link of this folder",
    heading: machine,
    define: defineUnlink,
  },
  {
    name: "dev",
    summary: "Run the service on this machine, with real Postgres databases",
    heading: machine,
    define: defineDev,
    subcommands: devCommands,
  },
  {
    name: "env",
    summary: "Write the connection string of a database into .env",
    heading: machine,
    define: defineEnv,
  },
  {
    name: "run",
    summary: "Run a command with DATABASE_URL in its environment",
    heading: machine,
    define: defineRun,
  },
  {
    name: "psql",
    summary: "Open a database in psql",
    heading: machine,
    define: definePsql,
  },
  {
    name: "operations",
    summary: "List all operations of the API",
    heading: about,
    define: defineOperations,
  },
  {
    name: "schema",
    summary: "Show the JSON Schema of what a command prints, and its exit codes",
    heading: about,
    define: defineSchema,
  },
  {
    name: "completion",
    summary: "Print a completion script for bash, zsh, fish or PowerShell",
    heading: about,
    define: defineCompletion,
  },
  {
    name: "complete",
    summary: "Print what the last word of a command line could become",
    hidden: true,
    define: defineComplete,
  },
  {
    name: "help",
    summary: "Show help for a command",
    heading: about,
    define: defineHelp,
  },
];

/** Hand-written commands inside the groups of the API's operations, by group. */
export const groupCommands: Readonly<Record<string, readonly PorcelainCommand[]>> = {
  "agent-approvals": [
    {
      name: "wait",
      summary: "Wait until the sponsor has decided",
      define: defineAgentApprovalsWait,
    },
  ],
};
