import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "../../context.js";
import { platformMissing } from "../../errors/run-errors.js";

/** Loads the package that contains Postgres. Users install it only to run `mgmt dev`. */
export const loadPlatform = async ({
  version,
}: Pick<Context, "version">): Promise<typeof import("@mgmt/platform")> => {
  try {
    return await import("@mgmt/platform");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    // A dependency of the platform may be missing instead; only Node's message says which package it is.
    if (!isMissing || !error.message.includes("@mgmt/platform")) throw error;
    throw platformMissing(installCommand(fileURLToPath(import.meta.url), version));
  }
};

/** Returns the command that installs the platform beside a CLI: for npx, in a project, or globally. */
const installCommand = (program: string, version: string): string => {
  const platform = `@mgmt/platform@${version}`;
  const [folder = ""] = program.split(`${sep}node_modules${sep}`);
  if (folder.includes(`${sep}_npx${sep}`)) {
    return `npx --package @mgmt/cli@${version} --package ${platform} mgmt dev`;
  }
  const isProject = folder !== program && existsSync(join(folder, "package.json"));
  return `npm install ${isProject ? "--save-dev" : "--global"} ${platform}`;
};
