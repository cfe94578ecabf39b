import { expect, it } from "vitest";
import type { Installation } from "../../installation/installation.js";
import type { FileScope } from "../../files/client-file.js";
import type { ClientName } from "./names.js";
import { buildServerCommand } from "./server-command.js";

it.each<[Installation, FileScope, ClientName, NodeJS.Platform, string]>([
  ["global", "user", "claude-code", "linux", "mgmt mcp --read-only"],
  ["global", "project", "cursor", "win32", "mgmt mcp --read-only"],
  ["global", "project", "claude-code", "win32", "cmd /c mgmt mcp --read-only"],
  ["standalone", "user", "claude-code", "win32", "mgmt mcp --read-only"],
  ["npx", "project", "vscode", "darwin", "npx -y @mgmt/cli@1.2.3 mcp --read-only (may download)"],
  ["npx", "user", "claude-code", "win32", "cmd /c npx -y @mgmt/cli@1.2.3 mcp --read-only (may download)"],
  ["project", "project", "zed", "linux", "npx --no-install @mgmt/cli mcp --read-only"],
  ["project", "user", "codex", "linux", "npx -y @mgmt/cli@1.2.3 mcp --read-only (may download)"],
])(
  "a client starts what is installed: %s, for the %s, in %s on %s",
  (installation, scope, client, platform, line) => {
    const place = { installation, scope, client, platform, version: "1.2.3" };
    const { program, args, canDownload } = buildServerCommand(["--read-only"], place);
    expect([program, ...args, ...(canDownload ? ["(may download)"] : [])].join(" ")).toBe(line);
  },
);
