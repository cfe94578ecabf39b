import { fileURLToPath } from "node:url";
import type { Context, GlobalFlags } from "../input/context.js";
import { cacheFolder } from "../files/own-cache.js";
import { storedSettings } from "../profiles/stored-settings.js";
import { type Installation, installationOf, installCommand, standaloneUpdate } from "./installation.js";
import { ciSystemOf } from "../system/ci-system.js";
import { LatestVersion } from "./latest-version.js";
import { updateNoticeVariables } from "./update-notice-variables.js";

const name = "@mgmt/cli";

/**
 * Says that a newer version is published, at most once a day. The version was looked up in the background of an earlier run. Never
 * waits for the network, and never fails.
 */
export const noticeUpdate = (
  { version, output, env, cwd }: Pick<Context, "version" | "output" | "env" | "cwd">,
  flags: GlobalFlags,
): void => {
  const installation = installationOf(fileURLToPath(import.meta.url));
  // The next `npx` may run another version anyway.
  if (installation === "npx" || output.format !== "table" || ciSystemOf(env)) return;
  if (updateNoticeVariables.some((variable) => env[variable])) return;
  try {
    const stored = new LatestVersion(name, cacheFolder(env), env);
    const latest = stored.read();
    const isNewer = latest !== undefined && isAfter(latest, version);
    if (!isNewer && !stored.isDue()) return;
    if (storedSettings(flags, { env, cwd }).updateNotice === false) return;
    if (!isNewer) return stored.lookUp();
    stored.forget();
    output.info(`mgmt ${latest} is available, and this is ${version}. ${howToUpdate(installation, latest)}`);
  } catch {
    // The folder cannot be written.
  }
};

const howToUpdate = (installation: Exclude<Installation, "npx">, latest: string): string =>
  installation === "standalone"
    ? standaloneUpdate(process.execPath, latest)
    : `To update, run: ${installCommand(installation, `${name}@latest`)}`;

/** Whether a released version comes after another version, which may be a prerelease of it. */
const isAfter = (released: string, version: string): boolean => {
  const [core = "", prerelease] = version.split("-", 2);
  if (released === core) return prerelease !== undefined;
  return released.localeCompare(core, "en", { numeric: true }) > 0;
};
