import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { homepage } from "../../package.json";
import { isStandalone } from "../system/standalone.js";

const [repositoryUrl] = homepage.split("/tree/");

/** How npm installed this CLI: by npx for one run, as a dependency of a project, or for all projects. */
export type PackageInstallation = "npx" | "project" | "global";

/** How this CLI was installed. The standalone program needs neither npm nor Node.js. */
export type Installation = PackageInstallation | "standalone";

/** Returns how the CLI that has this file was installed. */
export const detectInstallation = (path: string): Installation =>
  isStandalone() ? "standalone" : detectPackageInstallation(path);

const detectPackageInstallation = (path: string): PackageInstallation => {
  const [folder = ""] = path.split(`${sep}node_modules${sep}`);
  if (folder.includes(`${sep}_npx${sep}`)) return "npx";
  return folder !== path && existsSync(join(folder, "package.json")) ? "project" : "global";
};

/** Returns the command that installs a package beside this CLI. */
export const formatInstallCommand = (installation: "project" | "global", specifier: string): string =>
  `npm install ${installation === "project" ? "--save-dev" : "--global"} ${specifier}`;

/**
 * Returns how to update the standalone program, in a sentence.
 *
 * @param path the program. The folders of package managers show which of them has installed it.
 */
export const describeStandaloneUpdate = (file: string, version: string): string => {
  const path = file.replaceAll("\\", "/");
  const command = updateCommandByFolder.find(([folder]) => path.toLowerCase().includes(folder))?.[1];
  if (command !== undefined) return `To update, run: ${command}`;
  return `Download it from ${repositoryUrl}/releases/tag/v${version}`;
};

const updateCommandByFolder = [
  ["/cellar/mgmt/", "brew upgrade mgmt"],
  ["/scoop/apps/mgmt/", "scoop update mgmt"],
  ["/winget/packages/", "winget upgrade MgmtSdk.Mgmt"],
] as const;
