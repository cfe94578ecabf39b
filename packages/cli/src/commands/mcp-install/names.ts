/** The clients whose configuration is known, as a user types them. */
export const clientNames = ["claude-code", "cursor", "vscode", "codex", "zed"] as const;
export type ClientName = (typeof clientNames)[number];
