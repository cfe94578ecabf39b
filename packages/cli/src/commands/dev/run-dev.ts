import { existsSync } from "node:fs";
import { resolve as resolvePath } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { Platform } from "@mgmt/platform";
import type { Context } from "../../input/context.js";
import type { CliError } from "../../errors/cli-error.js";
import { folderGoneError, portTakenByDevError } from "../../errors/dev-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { rejectDash } from "../../input/reject-dash.js";
import { getMgmtCommand } from "../../text/mgmt-command.js";
import type { Notice } from "../../output/messages.js";
import { describeDev } from "../../profiles/describe-dev.js";
import {
  isDevRunning,
  isSameUrl,
  localProfileName,
  type Profile,
  type StoredProfiles,
} from "../../profiles/profile.js";
import { getProfilesPath, readProfiles } from "../../profiles/read-profiles.js";
import { findUnsafeReader } from "../../system/reader.js";
import { maskInLog } from "../../secrets/log-masks.js";
import { secretMask } from "../../output/mask.js";
import { wrapText, wrapCommand } from "../../output/wrap.js";
import { loadPlatform } from "../../platform/load-platform.js";
import { type ClaimedFolder, claimFolder, releaseClaim } from "./claim-folder.js";
import type { PublicClient } from "./oauth-client-option.js";
import { parsePort } from "./port.js";
import { findProjectFolder } from "./project-folder.js";
import { type ServiceRegistration, registerService, unregisterService } from "./registration.js";
import { watchFolder } from "./watch-folder.js";

export interface DevFlags {
  port?: string;
  dataDir?: string;
  here?: boolean;
  ephemeral?: boolean;
  acceptRecords?: boolean;
  oauthClient?: PublicClient[];
  unknownFields?: "ignore" | "refuse";
  errorCodes?: "contract" | "public";
  signInKey?: "generate" | "none";
}

/** Runs the platform until Ctrl-C, SIGQUIT, SIGTERM or SIGHUP, and then exits with 0, even during the start. */
export const runDev = async (flags: DevFlags, context: Context): Promise<void> => {
  const { cwd, output, signal } = context;
  const { dataDir, ephemeral = false, oauthClient: oauthClients = [] } = flags;
  const dataDirFlags = [
    ...(flags.here ? ["--here"] : []),
    ...(dataDir === undefined ? [] : ["--data-dir"]),
    ...(ephemeral ? ["--ephemeral"] : []),
  ];
  if (dataDirFlags.length > 1)
    throw usageError(`${dataDirFlags.slice(0, 2).join(" and ")} cannot be used together`);
  rejectDash("--data-dir", dataDir, "folder");
  if (output.format !== "table" && output.format !== "json")
    throw usageError("mgmt dev writes text or JSON", "Use --output json.");
  // The data of a folder has a port of its own.
  const port = parsePort(flags.port ?? (flags.here ? "0" : undefined));
  const requireSignInKey = flags.signInKey !== "none";
  let claimedFolder: ClaimedFolder | undefined;
  try {
    const { startPlatform } = await loadPlatform(context);
    if (flags.here) claimedFolder = await claimFolder(findProjectFolder(context), context);
    const platform = await startPlatform({
      signal,
      port,
      ephemeral,
      oauthClients,
      requireSignInKey,
      acceptRecords: flags.acceptRecords === true,
      ...(flags.unknownFields && { unknownFields: flags.unknownFields }),
      ...(flags.errorCodes && { errorCodes: flags.errorCodes }),
      ...(dataDir !== undefined && { dataDir: resolvePath(cwd, dataDir) }),
      ...(claimedFolder && { dataDir: claimedFolder.dataDir }),
      onLog: (message: string) => output.notice({ code: "dev:log", message }),
    });
    try {
      if (!requireSignInKey) await output.warn(noSignInKeyWarning);
      await runUntilInterrupted(platform, ephemeral, claimedFolder, context);
    } finally {
      await platform.stop();
    }
  } catch (error) {
    // A canceled start is not a failure.
    if (signal.aborted && error === signal.reason) return;
    // Without the folder, other parts fail with misleading errors, such as the start of Postgres.
    if (claimedFolder && !existsSync(claimedFolder.dataDir)) throw folderGoneError(claimedFolder.dataDir);
    throw findPortTakenError(error, port, context) ?? error;
  } finally {
    if (claimedFolder) await releaseClaim(claimedFolder, context);
  }
};

/** Returns the error to throw instead if the port is taken by a `mgmt dev` that has a profile. */
const findPortTakenError = (
  error: unknown,
  port: number,
  { env }: Pick<Context, "env">,
): CliError | undefined => {
  if (readErrorCode(error) !== "platform:port_taken") return undefined;
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  const runningEntry = Object.entries(readProfilesOrNone(env)).find(
    ([, profile]) => isSameUrl(profile.baseUrl, baseUrl) && isDevRunning(profile),
  );
  if (!runningEntry) return undefined;
  const [name, profile] = runningEntry;
  return portTakenByDevError(port, describeDev(profile), name, profile.process?.pid);
};

/** Returns the profiles; none if their file cannot be read, because that would not explain why the port is taken. */
const readProfilesOrNone = (env: NodeJS.ProcessEnv): StoredProfiles["profiles"] => {
  try {
    return readProfiles(getProfilesPath(env)).profiles;
  } catch {
    return {};
  }
};

/** Begins a line with something to copy, such as a command. */
const commandIndent = "  ";

const noSignInKeyWarning = {
  code: "dev:no_sign_in_key",
  message:
    "Without a sign-in key, every account and program of this machine can sign in as any user of this service",
};

const runUntilInterrupted = async (
  platform: Platform,
  ephemeral: boolean,
  claimedFolder: ClaimedFolder | undefined,
  context: Context,
): Promise<void> => {
  const { signal } = context;
  const registration = signal.aborted
    ? undefined
    : await registerService(platform, ephemeral, context, claimedFolder);
  const folderWatch = claimedFolder && (await watchFolder(claimedFolder.dataDir));
  try {
    if (registration?.otherLocalProfile)
      context.output.notice(createOtherDevNotice(registration.name, registration.otherLocalProfile));
    if (!signal.aborted) printReady(platform, registration, claimedFolder?.folder, context);
    const interrupted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const folderRemoved = folderWatch?.removed.then(() => folderGoneError(folderWatch.path));
    const defect = await Promise.race([
      interrupted,
      platform.closed,
      ...(folderRemoved ? [folderRemoved] : []),
    ]);
    if (defect) throw defect;
  } finally {
    folderWatch?.stop();
    // The folder is in use until Postgres has stopped.
    if (registration && !claimedFolder) await unregisterService(registration, context);
  }
};

const createOtherDevNotice = (name: string, otherLocalProfile: Profile): Notice => ({
  code: "dev:own_profile",
  message: `Another mgmt dev (${describeDev(otherLocalProfile)}) has the profile ${localProfileName}. Until this one ends, commands reach it with --profile ${name}.`,
  profile: name,
});

const printReady = (
  { ready, signInKey }: Platform,
  registration: ServiceRegistration | undefined,
  folder: string | undefined,
  context: Context,
): void => {
  const { output, env } = context;
  maskInLog([ready.token], context);
  if (output.format === "json") return output.writeJsonLine(ready);
  const masksToken = findUnsafeReader(env) !== undefined;
  const mgmtCommand = getMgmtCommand(env).join(" ");
  const lines = [
    `The Management API is running at ${ready.baseUrl}, with real Postgres databases.`,
    "",
    folder === undefined ? "In another terminal:" : `In another terminal, in the folder ${folder}:`,
    "",
    ...(registration
      ? renderProfileLines(ready, registration, mgmtCommand)
      : renderEnvironmentLines(ready, masksToken, mgmtCommand)),
    "",
    ...renderSignInLines(ready, output.isTerminal && !masksToken ? signInKey : null),
    "Database connections support TLS. To verify the server:",
    "",
    `${commandIndent}sslmode=verify-full&sslrootcert=${ready.caFile}`,
    "",
    "Press Ctrl-C to stop.",
  ];
  output.writeText(
    (output.isTerminal ? lines.flatMap((line) => breakLine(line, output.helpWidth)) : lines).join("\n"),
  );
};

/** Returns the lines about the sign-in key. A person at a terminal gets the key; a log gets the path of its file. */
const renderSignInLines = ({ signInKeyFile }: Platform["ready"], key: string | null): string[] => {
  if (signInKeyFile === null) return [];
  const lines = key === null ? [] : [`${commandIndent}${key}`, ""];
  return [
    "To sign in, a browser needs the key in this file. mgmt login sends it.",
    "",
    `${commandIndent}${signInKeyFile}`,
    "",
    ...lines,
  ];
};

/** Breaks sentences between words, and the commands below them so that a shell reads each as one. A path or key stays whole. */
const breakLine = (line: string, columns: number): string[] => {
  if (!line.startsWith(commandIndent)) return wrapText(line, columns);
  const availableColumns = columns - commandIndent.length;
  const lines = wrapCommand(line.trimStart(), availableColumns);
  return lines.every(({ length }) => length <= availableColumns)
    ? lines.map((part) => commandIndent + part)
    : [line];
};

/** @param mgmtCommand how a shell calls this command */
const renderProfileLines = (
  { baseUrl }: Platform["ready"],
  { name, isActive }: ServiceRegistration,
  mgmtCommand: string,
): string[] => {
  const flag = isActive ? "" : ` --profile ${name}`;
  return [
    `${commandIndent}${mgmtCommand} projects create shop --wait${flag}`,
    "",
    "For other programs:",
    "",
    `${commandIndent}export MGMT_BASE_URL=${baseUrl}`,
    `${commandIndent}export MGMT_TOKEN=$(${mgmtCommand} auth token${flag})`,
    "",
    "To act as a user rather than a service token:",
    "",
    `${commandIndent}${mgmtCommand} login${flag}`,
  ];
};

/**
 * Returns the lines that set the URL and the token in other terminals. They are printed if there is no profile, from which the other
 * terminals would get the token.
 */
const renderEnvironmentLines = (
  { baseUrl, token }: Platform["ready"],
  masksToken: boolean,
  mgmtCommand: string,
): string[] => [
  `${commandIndent}export MGMT_BASE_URL=${baseUrl}`,
  `${commandIndent}export MGMT_TOKEN=${masksToken ? `${secretMask} # ${mgmtCommand} dev --output json prints it` : token}`,
  `${commandIndent}${mgmtCommand} projects create shop --wait`,
];
