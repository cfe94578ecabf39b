/** The clients whose configuration is known, as a user types them. */
export const clientNames = ["claude-code", "cursor", "vscode", "codex", "zed"] as const;
/** Name of a program that can use the MCP server, as the user types it. */
export type ClientName = (typeof clientNames)[number];
