import type { Installation } from "../../installation/installation.js";
import { name as packageName } from "../../../package.json";
import type { FileScope } from "../../files/client-file.js";
import type { ClientName } from "./names.js";

/** A command line that starts the server. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether it may have to download the package first. */
  readonly canDownload: boolean;
}

interface CommandContext {
  readonly installation: Installation;
  /** Version of this package. */
  readonly version: string;
  readonly scope: FileScope;
  readonly client: ClientName;
  readonly platform: NodeJS.Platform;
}

/**
 * Returns the command line that starts the server in a client. It contains no path of this machine: the configuration may be in a
 * repository, or be carried to other machines.
 *
 * @param serverArguments arguments of `mgmt mcp`.
 */
export const buildServerCommand = (
  serverArguments: readonly string[],
  { installation, version, scope, client, platform }: CommandContext,
): ServerCommand => {
  const mgmtArguments = ["mcp", ...serverArguments];
  if (installation === "standalone") return { program: "mgmt", args: mgmtArguments, canDownload: false };
  const launchCommand = launchCommandByInstallation[installation]({ version, scope });
  const [program, ...args] = [...launchCommand.command, ...mgmtArguments];
  const { canDownload } = launchCommand;
  // https://code.claude.com/docs/en/mcp: on Windows, npm installs scripts, which Claude Code does not start by itself. The others do.
  if (platform === "win32" && client === "claude-code")
    return { program: "cmd", args: ["/c", program, ...args], canDownload };
  return { program, args, canDownload };
};

interface LaunchCommand {
  readonly command: readonly [string, ...string[]];
  readonly canDownload: boolean;
}

const createNpxCommand = (version: string): LaunchCommand => ({
  command: ["npx", "-y", `${packageName}@${version}`],
  canDownload: true,
});

const launchCommandByInstallation: Readonly<
  Record<Exclude<Installation, "standalone">, (place: { version: string; scope: FileScope }) => LaunchCommand>
> = {
  global: () => ({ command: ["mgmt"], canDownload: false }),
  // The project determines the version. A package of another name must never run in its place.
  project: ({ version, scope }) =>
    scope === "project"
      ? { command: ["npx", "--no-install", packageName], canDownload: false }
      : createNpxCommand(version),
  npx: ({ version }) => createNpxCommand(version),
};
