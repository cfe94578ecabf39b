import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Packages whose versions the table shows. */
const notable = [
  ...["vitest", "msw", "jest", "@playwright/test", "typescript", "tsx", "esbuild", "vite", "next", "react"],
  ...["express", "workerd", "pg"],
];

/** Returns the versions that a folder's lockfile or `node_modules` has. */
export const versionsIn = (folder: string): Record<string, string> => {
  const lockfile = join(folder, "yarn.lock");
  const locked = existsSync(lockfile) ? readFileSync(lockfile, "utf8") : "";
  const versions: Record<string, string> = {};
  for (const name of notable) {
    const manifest = join(folder, "node_modules", name, "package.json");
    if (existsSync(manifest)) {
      const { version }: { version: string } = JSON.parse(readFileSync(manifest, "utf8"));
      versions[name] = version;
    } else {
      const [, version] =
        new RegExp(`^"${name}@npm:[^\\n]*\\n +version: "?([^\\n"]+)`, "m").exec(locked) ?? [];
      if (version !== undefined) versions[name] = version;
    }
  }
  return versions;
};

/** Returns the names of the packages that the `package.json` of a folder declares. */
export const dependenciesIn = (folder: string): Set<string> => {
  const file = join(folder, "package.json");
  const manifest: Record<string, object | undefined> = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : {};
  const fields = ["dependencies", "devDependencies", "optionalDependencies"];
  return new Set(fields.flatMap((field) => Object.keys(manifest[field] ?? {})));
};
