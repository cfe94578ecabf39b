import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Profile } from "../../src/profiles/profile.js";

/** A working directory with a link, and a profiles file. */
export interface SettingsFolder {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Path of the profiles file. */
  readonly profilesFile: string;
  /** Path of the link. */
  readonly linkFile: string;
}

/**
 * Creates the folders, without the files that are undefined.
 *
 * @param root Where to create them.
 */
export const createSettingsFolder = (
  root: string,
  {
    profiles,
    active,
    link,
  }: {
    profiles?: Readonly<Record<string, Partial<Profile>>> | undefined;
    active?: string | undefined;
    link?: object | undefined;
  },
): SettingsFolder => {
  const folder = mkdtempSync(join(root, "settings-"));
  const cwd = join(folder, "work", "app");
  const linkFile = join(folder, "work", ".mgmt", "link.json");
  const profilesFile = join(folder, "config.json");
  mkdirSync(cwd, { recursive: true });
  if (link) {
    mkdirSync(join(folder, "work", ".mgmt"));
    writeFileSync(linkFile, JSON.stringify(link));
  }
  if (profiles) {
    const content = Object.fromEntries(
      Object.entries(profiles).map(([name, profile]) => [
        name,
        { baseUrl: `https://${name}.example`, ...profile },
      ]),
    );
    writeFileSync(profilesFile, JSON.stringify({ active, profiles: content }));
  }
  return { cwd, env: { MGMT_CONFIG_DIR: folder }, profilesFile, linkFile };
};
