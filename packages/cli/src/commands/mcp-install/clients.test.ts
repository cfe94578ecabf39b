import { join } from "node:path";
import { getHomeFolder } from "@mgmt/internal/files/user-folders";
import { expect, it } from "vitest";
import { clients } from "./clients.js";
import type { ClientName } from "./names.js";

it.each<[ClientName, NodeJS.Platform, string]>([
  ["claude-code", "linux", ".claude.json"],
  ["cursor", "win32", ".cursor/mcp.json"],
  ["vscode", "linux", ".config/Code/User/mcp.json"],
  ["vscode", "darwin", "Library/Application Support/Code/User/mcp.json"],
  ["vscode", "win32", "AppData/Roaming/Code/User/mcp.json"],
  ["codex", "darwin", ".codex/config.toml"],
  ["zed", "linux", ".config/zed/settings.json"],
  ["zed", "darwin", ".config/zed/settings.json"],
  ["zed", "win32", "AppData/Roaming/Zed/settings.json"],
])("the configuration of the user is where the client looks for it: %s on %s", (client, platform, file) => {
  expect(clients[client].userFile({}, platform)).toBe(join(getHomeFolder(), file));
});

it.each<[ClientName, NodeJS.ProcessEnv, string]>([
  ["claude-code", { CLAUDE_CONFIG_DIR: "/elsewhere" }, "/elsewhere/.claude.json"],
  ["codex", { CODEX_HOME: "/elsewhere" }, "/elsewhere/config.toml"],
  ["vscode", { XDG_CONFIG_HOME: "/elsewhere" }, "/elsewhere/Code/User/mcp.json"],
])("a variable moves the configuration of the user: %s", (client, env, path) => {
  expect(clients[client].userFile(env, "linux")).toBe(join(path));
});

it("a package that may have to be downloaded gets more time in Codex", () => {
  const command = { program: "npx", args: ["-y", "@mgmt/cli"] };
  expect(clients.codex.toEntry({ ...command, canDownload: true }).initial).toMatchObject({
    startup_timeout_sec: 30,
  });
  expect(clients.codex.toEntry({ ...command, canDownload: false }).initial).not.toHaveProperty(
    "startup_timeout_sec",
  );
});
