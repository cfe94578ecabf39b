import { cp, mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/generate/contract/contract.js";
import { allPackageFolders } from "../../scripts/packages.mjs";

/** Gives a copy of this repository its installed dependencies, and the copy's own packages, as `npm ci` would. */
export const linkDependencies = async (copy: string): Promise<void> => {
  for (const folder of ["", ...allPackageFolders.map((name) => `packages/${name}`)]) {
    const installed = join(root, folder, "node_modules");
    const entries = await readdir(installed).catch((): string[] => []);
    const target = join(copy, folder, "node_modules");
    await mkdir(target, { recursive: true });
    // The build writes to `.bin`, and `.cache` says that the build is fresh.
    for (const entry of entries.filter((each) => ![".bin", ".cache", "@mgmt"].includes(each)))
      await symlink(join(installed, entry), join(target, entry));
    if (entries.includes(".bin")) {
      await cp(join(installed, ".bin"), join(target, ".bin"), { recursive: true, verbatimSymlinks: true });
    }
  }
  await mkdir(join(copy, "node_modules/@mgmt"));
  for (const name of allPackageFolders)
    await symlink(join(copy, "packages", name), join(copy, "node_modules/@mgmt", name));
};
