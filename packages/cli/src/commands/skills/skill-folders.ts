import { join } from "node:path";
import { getHomeFolder, resolveUserFolder } from "@mgmt/internal/files/user-folders";
import type { FileScope } from "../../files/client-file.js";

/** The coding agents whose folders are known, as a user types them. `agents` is the folder that most of them read. */
export const clientNames = ["agents", "claude-code", "codex", "cursor"] as const;
/** Name of a program that reads skills, as the user types it. */
export type ClientName = (typeof clientNames)[number];

/** The folder of each, relative to the folder of a project and to the home directory of the user. */
const folders: Readonly<Record<ClientName, string>> = {
  // https://agentskills.io
  agents: ".agents",
  // https://code.claude.com/docs/en/skills
  "claude-code": ".claude",
  // https://developers.openai.com/codex/skills
  codex: ".agents",
  // https://cursor.com/docs/context/skills
  cursor: ".cursor",
};

/** Returns the path of the skill for a client. */
export const getSkillPath = (
  client: ClientName,
  scope: FileScope,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): string => {
  const parts = ["skills", "mgmt", "SKILL.md"];
  if (scope === "project") return join(cwd, folders[client], ...parts);
  return client === "claude-code"
    ? join(resolveUserFolder(env["CLAUDE_CONFIG_DIR"], folders[client]), ...parts)
    : join(getHomeFolder(), folders[client], ...parts);
};
