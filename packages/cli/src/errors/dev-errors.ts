import { CliError } from "./cli-error.js";

/**
 * @param command word of the command that needs the package.
 * @param installCommand Command that installs the package where this CLI finds it.
 */
export const platformNotInstalledError = (command: string, installCommand: string): CliError =>
  new CliError(
    "failure",
    "platform:not_installed",
    `mgmt ${command} needs the package @mgmt/platform of the same version, which is not installed`,
    `Run: ${installCommand}`,
  );

/**
 * @param npxCommand Command that runs it without the standalone program.
 * @param nodeRange Versions of Node.js that can run the package, such as `>=20.19`.
 */
export const platformNotInStandaloneError = (
  command: string,
  npxCommand: string,
  nodeRange: string,
): CliError =>
  new CliError(
    "failure",
    "platform:not_installed",
    `mgmt ${command} needs the package @mgmt/platform, which is not part of the standalone program`,
    `Install Node.js ${nodeRange.replace(/^>=/, "")} or newer, which has npx. Then run: ${npxCommand}`,
  );

/**
 * @param devDescription which `mgmt dev` it is.
 * @param pid process id of the other `mgmt dev`, if it is known.
 */
export const portTakenByDevError = (
  port: number,
  devDescription: string,
  profileName: string,
  pid: number | undefined,
): CliError =>
  new CliError(
    "failure",
    "platform:port_taken",
    `Port ${port} is in use by another mgmt dev (${devDescription})`,
    `Use that one with --profile ${profileName}, stop it${pid === undefined ? "" : ` (kill ${pid})`}, or choose another port: --port 0 for any free one.`,
  );

/** A profile has a credential that is not an agent's, which would be lost. */
export const agentProfileTakenError = (name: string): CliError =>
  new CliError(
    "refused",
    "profile:has_credential",
    `Profile ${name} has another credential, which this command would replace`,
    "Pass --save-as NAME to store the credential in another profile.",
  );
