import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The file in each package that contains code of other packages. */
export const licensesFile = "THIRD-PARTY-LICENSES";

export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly license: string;
  readonly text: string;
}

const rule = "-".repeat(80);

const notedFiles = new Map<string, Set<string>>();

/** Notes the files of which a build contains code, for `writeThirdPartyLicenses`. */
export const noteFiles = (name: string): Plugin => ({
  name: "note-files",
  setup({ onEnd }) {
    onEnd(({ metafile }) => {
      const files = notedFiles.get(name) ?? new Set();
      notedFiles.set(name, files);
      for (const { inputs } of Object.values(metafile?.outputs ?? {})) {
        for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
          // The others are modules of plugins.
          if (bytesInOutput > 0 && !path.includes(":")) files.add(path);
        }
      }
    });
  },
});

/**
 * Writes the licenses of the packages whose code a build contains.
 * @param name folder of the package in `packages/`
 * @param files files that it contains besides those that `noteFiles` has noted, from the root
 * @throws Error if a package says nothing about its license
 */
export const writeThirdPartyLicenses = (name: string, files: readonly string[] = []): void => {
  const file = join(root, "packages", name, licensesFile);
  const packages = packagesOf([...(notedFiles.get(name) ?? []), ...files]);
  if (packages.length === 0) return rmSync(file, { force: true });
  const titles = packages.map((each) => `- ${titleOf(each)}\n`).join("");
  const introduction = `@mgmt/${name} contains code of these packages:\n\n${titles}`;
  writeFileSync(file, [introduction, ...packages.map(sectionOf)].join("\n"));
};

/** Returns the license of a package under its title. */
export const sectionOf = ({ text, ...each }: ThirdParty): string =>
  `${rule}\n${titleOf(each)}\n${rule}\n\n${text}\n`;

/** Returns the packages that a file written by `writeThirdPartyLicenses` lists. */
export const thirdPartyIn = (text: string): Omit<ThirdParty, "text">[] =>
  [...(text.split(rule)[0] ?? "").matchAll(/^- (\S+) (\S+) \((.+)\)$/gm)].map(
    ([, name = "", version = "", license = ""]) => ({
      name,
      version,
      license,
    }),
  );

const titleOf = ({ name, version, license }: Omit<ThirdParty, "text">): string =>
  `${name} ${version} (${license})`;

/** Returns the packages that files belong to, without those of this repository. */
const packagesOf = (paths: readonly string[]): ThirdParty[] => {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const found = [...new Set(folders)].map(thirdPartyAt);
  // npm may install a version in several places.
  const byTitle = new Map(found.map((each) => [titleOf(each), each]));
  return [...byTitle.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
};

interface ThirdPartyManifest extends Omit<ThirdParty, "text"> {
  readonly author?: string | { readonly name: string };
  readonly repository?: string | { readonly url: string };
}

/**
 * Returns the license of a package.
 * @param folder relative to the root
 * @throws Error if the package says nothing about its license
 */
export const thirdPartyAt = (folder: string): ThirdParty => {
  const manifest: ThirdPartyManifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const { name, version, license } = manifest;
  const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(root, folder, file), "utf8").trim());
  const text = texts.length > 0 ? texts.join("\n\n") : statementOf(manifest);
  return { name, version, license, text };
};

/** Returns what the manifest of a package says about its license, for packages that are published without the text. */
const statementOf = ({ name, version, license, author, repository }: ThirdPartyManifest): string => {
  if (!license) throw new Error(`${name} ${version} is bundled, but says nothing about its license`);
  const holder = typeof author === "object" ? author.name : author;
  const source = typeof repository === "object" ? repository.url : repository;
  const statements = { License: license, Author: holder, Source: source };
  return [
    "The package is published without the text of its license. Its package.json says:\n",
    ...Object.entries(statements).flatMap(([key, value]) => (value ? `${key}: ${value}` : [])),
  ].join("\n");
};
