import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { engines } from "../../../package.json";
import type { Context, GlobalFlags } from "../../input/context.js";
import { selectExistingProfile } from "../../profiles/active-profile.js";
import { describeCopies, describeDev } from "../../profiles/describe-dev.js";
import { findLink } from "../../profiles/link-file.js";
import { isDevRunning } from "../../profiles/profile.js";
import { getProfilesPath, readProfiles } from "../../profiles/read-profiles.js";
import {
  type Check,
  createErrorCheck,
  createFailureCheck,
  createOkCheck,
  createWarningCheck,
} from "./check.js";
import { detectCiSystem } from "../../system/ci-system.js";
import { detectCodingAgent } from "../../system/coding-agent.js";
import { stripUrlCredentials } from "../../text/strip-url-credentials.js";

/** Checks that need no service: Node.js, the profiles file, the link, the profile and running services. */
export const checkMachine = async (flags: GlobalFlags, context: Context): Promise<Check[]> => [
  checkNode(process.versions.node),
  checkEnvironment(context),
  await checkProfilesFile(context),
  await checkLink(context),
  await checkActiveProfile(flags, context),
  await checkDevServices(context),
];

/** @param version version of Node.js, such as `20.19.0`. */
export const checkNode = (version: string): Check => {
  const requiredVersion = engines.node.replace(/^[^\d]*/, "");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [requiredMajor = 0, requiredMinor = 0] = requiredVersion.split(".").map(Number);
  const isRecentEnough = major > requiredMajor || (major === requiredMajor && minor >= requiredMinor);
  if (isRecentEnough) return createOkCheck("node", `Node.js ${version}`);
  const hint = `Install Node.js ${requiredVersion} or newer.`;
  return createFailureCheck("node", `Node.js ${version} is too old`, { hint });
};

/** Reports what kind of environment the command has detected, because secrets, prompts, colors, and pagers depend on that. */
const checkEnvironment = ({ env }: Pick<Context, "env">): Check => {
  const effects = "secrets are masked, and nothing is asked";
  if (detectCiSystem(env)) return createOkCheck("environment", `CI runs this command: ${effects}`);
  const agent = detectCodingAgent(env);
  return agent
    ? createOkCheck(
        "environment",
        `${agent.name} runs this command, because ${agent.variable} is set: ${effects}`,
      )
    : createOkCheck("environment", "A person or a script runs this command, no CI system or coding agent");
};

const checkProfilesFile = async ({ env }: Pick<Context, "env">): Promise<Check> => {
  const name = "profiles";
  const path = getProfilesPath(env);
  try {
    const count = Object.keys(readProfiles(path).profiles).length;
    const stats = readStats(path);
    if (!stats) return createOkCheck(name, `${path} does not exist yet`);
    if (!isWritable(path) || !isWritable(dirname(path))) {
      const hint =
        "A login cannot be refreshed or changed. Allow your user to write the file and its folder.";
      return createWarningCheck(name, `${path} cannot be written`, { hint });
    }
    if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
      const hint = `It may contain credentials. Run: chmod 600 ${path}`;
      return createWarningCheck(name, `${path} can be read or changed by other users`, { hint });
    }
    return createOkCheck(name, `${path} has ${String(count)} ${count === 1 ? "profile" : "profiles"}`);
  } catch (error) {
    return createErrorCheck(name, error);
  }
};

const readStats = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    // The superuser may write a file that is marked read-only, but the command respects the mark.
    return ((readStats(path)?.mode ?? 0) & constants.S_IWUSR) !== 0;
  } catch {
    return false;
  }
};

const checkLink = async ({ cwd }: Pick<Context, "cwd">): Promise<Check> => {
  try {
    const link = findLink(cwd);
    if (!link) return createOkCheck("link", "This folder is not linked");
    const { protect = false, ...settings } = link.link;
    const values = [...Object.values(settings), ...(protect ? ["protected"] : [])].join(", ");
    return createOkCheck("link", `${link.file}${values === "" ? "" : `: ${values}`}`);
  } catch (error) {
    return createErrorCheck("link", error, [["mgmt", "unlink"]]);
  }
};

const checkActiveProfile = async (flags: GlobalFlags, context: Context): Promise<Check> => {
  try {
    const { name, file } = selectExistingProfile(flags, context);
    if (!name) return createOkCheck("profile", "No profile is active");
    return createOkCheck("profile", `${name.value}${name.from === file ? "" : ` (from ${name.from})`}`);
  } catch (error) {
    return createErrorCheck("profile", error, [["mgmt", "auth", "list"]]);
  }
};

const checkDevServices = async ({ env }: Pick<Context, "env">): Promise<Check> => {
  try {
    const runningProfiles = Object.entries(readProfiles(getProfilesPath(env)).profiles).filter(
      ([, profile]) => isDevRunning(profile),
    );
    const serviceTexts = runningProfiles.map(([name, profile]) => {
      const copies = describeCopies(profile.copyMethod);
      const details = [
        describeDev(profile),
        ...(copies === undefined ? [] : [`copies of large databases ${copies}`]),
      ];
      return `${name} at ${stripUrlCredentials(profile.baseUrl)} (${details.join("; ")})`;
    });
    return createOkCheck(
      "dev",
      serviceTexts.length === 0 ? "mgmt dev is not running" : `mgmt dev: ${serviceTexts.join(", ")}`,
    );
  } catch (error) {
    return createErrorCheck("dev", error);
  }
};
