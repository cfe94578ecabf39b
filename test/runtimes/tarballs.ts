import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFolders } from "../../scripts/packages.mjs";
import { npm } from "./npm.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Packs all published packages into a folder. Returns the tarballs by the names of the packages. */
export const pack = (folder: string): Record<string, string> => {
  const packed: { name: string; filename: string }[] = JSON.parse(
    npm(
      root,
      "pack",
      ...packageFolders.map((name) => `--workspace=packages/${name}`),
      "--json",
      "--pack-destination",
      folder,
    ),
  );
  return Object.fromEntries(
    packed.map(({ name, filename }) => [name, join(folder, filename.replace("@", "").replace("/", "-"))]),
  );
};

/** Installs tarballs in a folder, with other packages by their versions. */
export const installTarballs = (
  folder: string,
  tarballs: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>> = {},
): void => {
  const files = Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]);
  const dependencies = { ...Object.fromEntries(files), ...others };
  const manifest = { private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  npm(folder, "install", "--prefer-offline");
};
