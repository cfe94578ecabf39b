import { fileURLToPath } from "node:url";
import type { Context, GlobalFlags } from "../input/context.js";
import { getCacheFolder } from "../files/cache-folder.js";
import { readStoredSettings } from "../profiles/stored-settings.js";
import {
  type Installation,
  detectInstallation,
  formatInstallCommand,
  describeStandaloneUpdate,
} from "./installation.js";
import { findUnsafeReader } from "../system/reader.js";
import { LatestVersionCache } from "./latest-version.js";
import { updateNoticeVariables } from "./update-notice-variables.js";

const packageName = "@mgmt/cli";

/**
 * Announces that a newer version is published, at most once a day. The version was looked up in the background of an earlier run. Never
 * waits for the network, and never fails.
 */
export const announceUpdate = (
  { version, output, env, cwd }: Pick<Context, "version" | "output" | "env" | "cwd">,
  flags: GlobalFlags,
): void => {
  const installation = detectInstallation(fileURLToPath(import.meta.url));
  // The next `npx` may run another version anyway.
  if (installation === "npx" || output.format !== "table" || findUnsafeReader(env)) return;
  if (updateNoticeVariables.some((variable) => env[variable])) return;
  try {
    const versionCache = new LatestVersionCache(packageName, getCacheFolder(env), env);
    const latestVersion = versionCache.read();
    const isNewer = latestVersion !== undefined && isNewerVersion(latestVersion, version);
    if (!isNewer && !versionCache.isLookupDue()) return;
    if (readStoredSettings(flags, { env, cwd }).updateNotice === false) return;
    if (!isNewer) return versionCache.startLookup();
    versionCache.clear();
    output.info(
      `mgmt ${latestVersion} is available, and this is ${version}. ${describeUpdate(installation, latestVersion)}`,
    );
  } catch {
    // The folder cannot be written.
  }
};

const describeUpdate = (installation: Exclude<Installation, "npx">, latestVersion: string): string =>
  installation === "standalone"
    ? describeStandaloneUpdate(process.execPath, latestVersion)
    : `To update, run: ${formatInstallCommand(installation, `${packageName}@latest`)}`;

/** Returns whether a released version comes after another version, which may be a prerelease of it. */
const isNewerVersion = (released: string, version: string): boolean => {
  const [core = "", prerelease] = version.split("-", 2);
  if (released === core) return prerelease !== undefined;
  return released.localeCompare(core, "en", { numeric: true }) > 0;
};
