import { join } from "node:path";
import { getHomeFolder, resolveUserFolder } from "@mgmt/internal/files/user-folders";
import type { CommandVariable } from "@mgmt/internal/environment/variables";
import type { EditedConfig, ServerEntry } from "./config-entry.js";
import { editJson } from "./edit-json.js";
import { editToml } from "./edit-toml.js";
import type { FileScope } from "../../files/client-file.js";
import type { ClientName } from "./names.js";
import type { ServerCommand } from "./server-command.js";

/** A program that starts MCP servers. */
export interface McpClient {
  readonly title: string;
  /** The scope without `--scope`. */
  readonly defaultScope: FileScope;
  /** Path of the file for a folder, from the folder. */
  readonly projectFile: string;
  /** Returns the path of the file of the user. */
  readonly userFile: (env: NodeJS.ProcessEnv, platform: NodeJS.Platform) => string;
  /** The variable that the client replaces by the path of the open folder, or undefined if it starts servers in that folder. */
  readonly folderVariable?: string;
  readonly toEntry: (command: ServerCommand) => ServerEntry;
  /** Throws `ConfigProblem`. */
  readonly edit: (text: string, entry: ServerEntry | undefined) => EditedConfig;
  /** The next step for the user, as a sentence. */
  readonly next: Readonly<Record<FileScope, string>>;
}

const describeCommand = ({ program, args }: ServerCommand) => ({ command: program, args });

const withType = (command: ServerCommand): ServerEntry => ({
  required: { type: "stdio", ...describeCommand(command) },
});

/** The variables with which a user chooses the service and the credential. Codex passes on those alone that an entry names. */
const forwardedVariables: readonly CommandVariable[] = [
  "MGMT_TOKEN",
  "MGMT_PROFILE",
  "MGMT_BASE_URL",
  "MGMT_CONFIG_DIR",
];

/** npx may have to download the package first. Codex waits for 10 seconds otherwise. */
const startupSeconds = 30;

/** The clients by the names that a user types. The documentation of each is the source of its format. */
export const clients: Readonly<Record<ClientName, McpClient>> = {
  // https://code.claude.com/docs/en/mcp. Claude Code deletes what it cannot parse in its own file, such as one with a comment.
  "claude-code": {
    title: "Claude Code",
    defaultScope: "project",
    projectFile: ".mcp.json",
    userFile: ({ CLAUDE_CONFIG_DIR }) => join(resolveUserFolder(CLAUDE_CONFIG_DIR), ".claude.json"),
    toEntry: withType,
    edit: (text, entry) => editJson(text, { serversKey: "mcpServers", isStrict: true }, entry),
    next: {
      project: "Start claude in this folder, and allow the server when it asks.",
      user: "Start claude, and run /mcp in it to see the server.",
    },
  },
  // https://cursor.com/docs/context/mcp
  cursor: {
    title: "Cursor",
    defaultScope: "project",
    projectFile: ".cursor/mcp.json",
    userFile: () => join(getHomeFolder(), ".cursor", "mcp.json"),
    folderVariable: "${workspaceFolder}",
    toEntry: withType,
    edit: (text, entry) => editJson(text, { serversKey: "mcpServers", isStrict: false }, entry),
    next: {
      project: "Open this folder in Cursor, and enable the server in its settings.",
      user: "Enable the server in the settings of Cursor.",
    },
  },
  // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
  vscode: {
    title: "VS Code",
    defaultScope: "project",
    projectFile: ".vscode/mcp.json",
    userFile: (env, platform) => join(getCodeFolder(env, platform), "User", "mcp.json"),
    folderVariable: "${workspaceFolder}",
    toEntry: withType,
    edit: (text, entry) => editJson(text, { serversKey: "servers", isStrict: false }, entry),
    next: {
      project: "Open this folder in VS Code, and start the server from .vscode/mcp.json.",
      user: "Run MCP: List Servers in VS Code. A profile of VS Code other than the default has a file of its own.",
    },
  },
  // https://developers.openai.com/codex/mcp
  codex: {
    title: "Codex",
    defaultScope: "user",
    projectFile: ".codex/config.toml",
    userFile: ({ CODEX_HOME }) => join(resolveUserFolder(CODEX_HOME, ".codex"), "config.toml"),
    toEntry: (command) => ({
      required: describeCommand(command),
      initial: {
        env_vars: forwardedVariables,
        ...(command.canDownload && { startup_timeout_sec: startupSeconds }),
      },
    }),
    edit: editToml,
    next: {
      project: "Start codex in this folder, which has to be a trusted project.",
      user: "Start codex, and run /mcp in it to see the server.",
    },
  },
  // https://zed.dev/docs/ai/mcp
  zed: {
    title: "Zed",
    defaultScope: "user",
    projectFile: ".zed/settings.json",
    userFile: (env, platform) => join(getZedFolder(env, platform), "settings.json"),
    toEntry: (command) => ({ required: { source: "custom", ...describeCommand(command) } }),
    edit: (text, entry) => editJson(text, { serversKey: "context_servers", isStrict: false }, entry),
    next: {
      project: "Open this folder in Zed, and trust it. The settings of its agent show the server.",
      user: "The settings of the agent in Zed show the server.",
    },
  },
};

/** Returns the folder with the settings of VS Code. */
const getCodeFolder = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => {
  if (platform === "darwin") return join(getHomeFolder(), "Library", "Application Support", "Code");
  return platform === "win32"
    ? join(resolveUserFolder(env["APPDATA"], "AppData", "Roaming"), "Code")
    : join(resolveUserFolder(env["XDG_CONFIG_HOME"], ".config"), "Code");
};

const getZedFolder = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => {
  if (platform === "win32") return join(resolveUserFolder(env["APPDATA"], "AppData", "Roaming"), "Zed");
  // On a Mac, Zed keeps its settings where it does on Linux, without the variable.
  return join(
    resolveUserFolder(platform === "darwin" ? undefined : env["XDG_CONFIG_HOME"], ".config"),
    "zed",
  );
};
