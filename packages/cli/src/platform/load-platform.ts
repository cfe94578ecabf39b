import { fileURLToPath } from "node:url";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { engines } from "../../package.json";
import type { Context } from "../input/context.js";
import { platformNotInstalledError, platformNotInStandaloneError } from "../errors/dev-errors.js";
import {
  type PackageInstallation,
  detectInstallation,
  formatInstallCommand,
} from "../installation/installation.js";

/** A command that needs the package. */
type PlatformCommand = "dev" | "serve" | "run --fresh";

/** Loads the package that contains Postgres. Users install it only to run `mgmt dev`, `mgmt serve`, or `mgmt run --fresh`. */
export const loadPlatform = (context: Pick<Context, "version">): Promise<typeof import("@mgmt/platform")> =>
  // oxlint-disable-next-line no-restricted-imports
  load("dev", () => import("@mgmt/platform"), context);

/** Loads the part of the package that runs a service over a Postgres server of others. */
export const loadServe = (
  context: Pick<Context, "version">,
): Promise<typeof import("@mgmt/platform/serve")> =>
  // oxlint-disable-next-line no-restricted-imports
  load("serve", () => import("@mgmt/platform/serve"), context);

/** Loads the part of the package that makes databases for tests. */
export const loadTestDatabases = (
  context: Pick<Context, "version">,
): Promise<typeof import("@mgmt/platform/test-databases")> =>
  // oxlint-disable-next-line no-restricted-imports
  load("run --fresh", () => import("@mgmt/platform/test-databases"), context);

const load = async <Module>(
  command: PlatformCommand,
  importModule: () => Promise<Module>,
  { version }: Pick<Context, "version">,
): Promise<Module> => {
  const installation = detectInstallation(fileURLToPath(import.meta.url));
  if (installation === "standalone")
    throw platformNotInStandaloneError(command, formatNpxCommand(command, version), engines.node);
  try {
    return await importModule();
  } catch (error) {
    // A dependency of the platform may be missing instead; only Node's message identifies the package.
    if (!missingCodes.has(readErrorCode(error) ?? "") || !String(error).includes("@mgmt/platform"))
      throw error;
    throw platformNotInstalledError(command, formatPlatformInstallCommand(command, installation, version));
  }
};

/** Error codes for a package that is not installed, or for an earlier version without the part. */
const missingCodes: ReadonlySet<string> = new Set(["ERR_MODULE_NOT_FOUND", "ERR_PACKAGE_PATH_NOT_EXPORTED"]);

/** Returns the command that installs the platform beside a CLI: for npx, in a project, or globally. */
const formatPlatformInstallCommand = (
  command: PlatformCommand,
  installation: PackageInstallation,
  version: string,
): string =>
  installation === "npx"
    ? formatNpxCommand(command, version)
    : formatInstallCommand(installation, `@mgmt/platform@${version}`);

const formatNpxCommand = (command: PlatformCommand, version: string): string =>
  `npx --package @mgmt/cli@${version} --package @mgmt/platform@${version} mgmt ${command}`;
