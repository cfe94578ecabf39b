import { fileURLToPath } from "node:url";
import { errorCode } from "@mgmt/internal/errors/error-code";
import { engines } from "../../package.json";
import type { Context } from "../input/context.js";
import { platformNotInstalledError, platformNotInStandaloneError } from "../errors/dev-errors.js";
import {
  type PackageInstallation,
  detectInstallation,
  formatInstallCommand,
} from "../installation/installation.js";

/** Loads the package that contains Postgres. Users install it only to run `mgmt dev`. */
export const loadPlatform = async ({
  version,
}: Pick<Context, "version">): Promise<typeof import("@mgmt/platform")> => {
  const installation = detectInstallation(fileURLToPath(import.meta.url));
  if (installation === "standalone")
    throw platformNotInStandaloneError(formatNpxCommand(version), engines.node);
  try {
    // oxlint-disable-next-line no-restricted-imports
    return await import("@mgmt/platform");
  } catch (error) {
    const isMissing = errorCode(error) === "ERR_MODULE_NOT_FOUND";
    // A dependency of the platform may be missing instead; only Node's message says which package it is.
    if (!isMissing || !String(error).includes("@mgmt/platform")) throw error;
    throw platformNotInstalledError(formatPlatformInstallCommand(installation, version));
  }
};

/** Returns the command that installs the platform beside a CLI: for npx, in a project, or globally. */
const formatPlatformInstallCommand = (installation: PackageInstallation, version: string): string =>
  installation === "npx"
    ? formatNpxCommand(version)
    : formatInstallCommand(installation, `@mgmt/platform@${version}`);

const formatNpxCommand = (version: string): string =>
  `npx --package @mgmt/cli@${version} --package @mgmt/platform@${version} mgmt dev`;
