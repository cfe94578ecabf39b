import type { GroupDeclaration } from "../../command-line/command-declaration.js";

export const mcpGroup: GroupDeclaration = {
  words: "mcp",
  heading: "machine",
  order: 220,
  summary: "Let coding agents use this command as an MCP server",
};
