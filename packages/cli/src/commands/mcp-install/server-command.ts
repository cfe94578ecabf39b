import type { Installation } from "../../installation/installation.js";
import { name as packageName } from "../../../package.json";
import type { Scope } from "../../files/client-file.js";
import type { ClientName } from "./names.js";

/** A command line that starts the server. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether it may have to download the package first. */
  readonly canDownload: boolean;
}

interface CommandPlace {
  readonly installation: Installation;
  /** Version of this package. */
  readonly version: string;
  readonly scope: Scope;
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
  { installation, version, scope, client, platform }: CommandPlace,
): ServerCommand => {
  const words = ["mcp", ...serverArguments];
  if (installation === "standalone") return { program: "mgmt", args: words, canDownload: false };
  const command = wordsByInstallation[installation]({ version, scope });
  const [program, ...args] = [...command.words, ...words];
  const { canDownload } = command;
  // https://code.claude.com/docs/en/mcp: on Windows, npm installs scripts, which Claude Code does not start by itself. The others do.
  if (platform === "win32" && client === "claude-code")
    return { program: "cmd", args: ["/c", program, ...args], canDownload };
  return { program, args, canDownload };
};

interface ProgramWords {
  readonly words: readonly [string, ...string[]];
  readonly canDownload: boolean;
}

const downloaded = (version: string): ProgramWords => ({
  words: ["npx", "-y", `${packageName}@${version}`],
  canDownload: true,
});

const wordsByInstallation: Readonly<
  Record<Exclude<Installation, "standalone">, (place: { version: string; scope: Scope }) => ProgramWords>
> = {
  global: () => ({ words: ["mgmt"], canDownload: false }),
  // The project determines the version. A package of another name must never run in its place.
  project: ({ version, scope }) =>
    scope === "project"
      ? { words: ["npx", "--no-install", packageName], canDownload: false }
      : downloaded(version),
  npx: ({ version }) => downloaded(version),
};
