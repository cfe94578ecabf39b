import { stripUrlCredentials } from "../text/strip-url-credentials.js";
import { describeCause, CliError } from "./cli-error.js";

/**
 * @param command word of the command that needs the package.
 * @param installCommand command that installs the package where this CLI finds it.
 */
export const platformNotInstalledError = (command: string, installCommand: string): CliError =>
  new CliError(
    "failure",
    "platform:not_installed",
    `mgmt ${command} needs the package @mgmt/platform of the same version, which is not installed`,
    `Run: ${installCommand}`,
  );

/**
 * @param npxCommand command that runs it without the standalone program.
 * @param nodeRange versions of Node.js that can run the package, such as `>=20.19`.
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

/** A service of the home directory would belong to every project in it. */
export const homeFolderError = (folder: string): CliError =>
  new CliError(
    "usage",
    "dev:home_folder",
    `${folder} cannot have a service of its own: it is your home directory, or contains it`,
    "Change to the folder of a project, or run mgmt dev without --here, whose service all folders use.",
    { next: [["mgmt", "dev"]] },
  );

/**
 * @param url the URL of its service, if it has been ready.
 * @param pid process id of the other `mgmt dev`, if it is known.
 */
export const folderInUseError = (
  folder: string,
  url: string | undefined,
  pid: number | undefined,
): CliError =>
  new CliError(
    "failure",
    "dev:folder_in_use",
    `The mgmt dev of the folder ${folder} runs already` +
      (pid === undefined
        ? ""
        : ` (process ${pid}${url === undefined ? "" : ` at ${stripUrlCredentials(url)}`})`),
    "Use that one: commands in the folder do. To start it again, run mgmt dev stop first.",
    { next: [["mgmt", "dev", "list"]] },
  );

/** Postgres runs commands that are in the configuration of its data. */
export const foreignStackDataError = (dataDir: string): CliError =>
  new CliError(
    "failure",
    "dev:foreign_data",
    `${dataDir} has data that your mgmt dev --here did not make: it may have come with the repository`,
    "None of it was used. Move it away, and start again with empty data. If you made it with other settings of this user, set MGMT_CONFIG_DIR to their folder.",
  );

export const unusableFolderError = (dataDir: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "dev:folder_unusable",
    `mgmt dev --here cannot use ${dataDir} (${describeCause(cause)})`,
    "It must be a folder of your user, and no part of its path below the project a symbolic link. To store the data elsewhere, run mgmt dev with --data-dir instead of --here.",
  );

export const folderGoneError = (dataDir: string): CliError =>
  new CliError(
    "failure",
    "dev:folder_gone",
    `${dataDir} was moved or deleted, so mgmt dev stopped`,
    "If the folder was moved, start again in its new place: mgmt dev --here.",
  );

/** The process may be another program in a container that has the same process id. */
export const unstoppableDevError = (devDescription: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "dev:not_stopped",
    `A mgmt dev (${devDescription}) cannot be stopped from here: ${describeCause(cause)}`,
    "Stop it where it was started: with Ctrl-C, or in its container.",
  );

/** @param seconds how long it was awaited. */
export const slowStopError = (devDescription: string, pid: number, seconds: number): CliError =>
  new CliError(
    "failure",
    "dev:not_stopped",
    `A mgmt dev (${devDescription}) has not ended within ${seconds} s`,
    `It may still be writing. To end it at once, run: kill -9 ${pid}. Confirmed changes are not lost.`,
  );

/**
 * Another program may listen at the address, and must not get a credential.
 *
 * @param folder the folder of a `mgmt dev --here`.
 */
export const devNotRunningError = (name: string, baseUrl: string, folder: string | undefined): CliError => {
  const printedUrl = stripUrlCredentials(baseUrl);
  return folder === undefined
    ? new CliError(
        "network",
        "dev:not_running",
        `The mgmt dev of profile ${name} is not running at ${printedUrl}`,
        "Start it with mgmt dev, or pass --profile with the profile of a running service. No credential was sent.",
        { next: [["mgmt", "dev"]] },
      )
    : new CliError(
        "network",
        "dev:not_running",
        `The mgmt dev of the folder ${folder} is not running at ${printedUrl}`,
        `Start it with mgmt dev --here in that folder, or pass --profile to use another service once. To use another one always, remove ${folder}/.mgmt/dev, which deletes its data. No credential was sent.`,
        { next: [["mgmt", "dev", "--here"]] },
      );
};
