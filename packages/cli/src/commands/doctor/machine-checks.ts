import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { engines } from "../../../package.json";
import type { Context, GlobalFlags } from "../../input/context.js";
import { activeProfile } from "../../profiles/active-profile.js";
import { describeDev } from "../../profiles/describe-dev.js";
import { findLink } from "../../profiles/link-file.js";
import { isRunning } from "../../profiles/profile.js";
import { profilesFile, readProfiles } from "../../profiles/read-profiles.js";
import { type Check, failed, failure, ok, warning } from "./check.js";
import { addressWithoutCredentials } from "../../text/address-without-credentials.js";

/** Checks that need no service: Node.js, the profiles file, the link, the profile and running services. */
export const machineChecks = async (flags: GlobalFlags, context: Context): Promise<Check[]> => [
  nodeCheck(process.versions.node),
  await profilesCheck(context),
  await linkCheck(context),
  await profileCheck(flags, context),
  await devCheck(context),
];

/** @param version Version of Node.js, such as `20.19.0`. */
export const nodeCheck = (version: string): Check => {
  const required = engines.node.replace(/^[^\d]*/, "");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [requiredMajor = 0, requiredMinor = 0] = required.split(".").map(Number);
  const isRecent = major > requiredMajor || (major === requiredMajor && minor >= requiredMinor);
  if (isRecent) return ok("node", `Node.js ${version}`);
  const hint = `Install Node.js ${required} or newer.`;
  return failure("node", `Node.js ${version} is too old`, { hint });
};

const profilesCheck = async ({ env }: Pick<Context, "env">): Promise<Check> => {
  const name = "profiles";
  const file = profilesFile(env);
  try {
    const count = Object.keys(readProfiles(file).profiles).length;
    const stats = statOf(file);
    if (!stats) return ok(name, `${file} does not exist yet`);
    if (!isWritable(file) || !isWritable(dirname(file))) {
      const hint =
        "A login cannot be refreshed or changed. Allow your user to write the file and its folder.";
      return warning(name, `${file} cannot be written`, { hint });
    }
    if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
      const hint = `It may contain credentials. Run: chmod 600 ${file}`;
      return warning(name, `${file} can be read or changed by other users`, { hint });
    }
    return ok(name, `${file} has ${String(count)} ${count === 1 ? "profile" : "profiles"}`);
  } catch (error) {
    return failed(name, error);
  }
};

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    // The superuser may write a file that is marked read-only, but the command respects the mark.
    return ((statOf(path)?.mode ?? 0) & constants.S_IWUSR) !== 0;
  } catch {
    return false;
  }
};

const linkCheck = async ({ cwd }: Pick<Context, "cwd">): Promise<Check> => {
  try {
    const link = findLink(cwd);
    if (!link) return ok("link", "This folder is not linked");
    const values = Object.values({ ...link.link }).join(", ");
    return ok("link", `${link.file}${values === "" ? "" : `: ${values}`}`);
  } catch (error) {
    return failed("link", error, [["mgmt", "unlink"]]);
  }
};

const profileCheck = async (flags: GlobalFlags, context: Context): Promise<Check> => {
  try {
    const { name, file } = activeProfile(flags, context);
    if (!name) return ok("profile", "No profile is active");
    return ok("profile", `${name.value}${name.from === file ? "" : ` (from ${name.from})`}`);
  } catch (error) {
    return failed("profile", error, [["mgmt", "auth", "list"]]);
  }
};

const devCheck = async ({ env }: Pick<Context, "env">): Promise<Check> => {
  try {
    const running = Object.entries(readProfiles(profilesFile(env)).profiles).filter(([, profile]) =>
      isRunning(profile),
    );
    const services = running.map(
      ([name, profile]) =>
        `${name} at ${addressWithoutCredentials(profile.baseUrl)} (${describeDev(profile)})`,
    );
    return ok("dev", services.length === 0 ? "mgmt dev is not running" : `mgmt dev: ${services.join(", ")}`);
  } catch (error) {
    return failed("dev", error);
  }
};
