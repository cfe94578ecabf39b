import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFolders } from "../packages.mjs";
import { type Manifest, manifestOf } from "./pack.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Release {
  readonly version: string;
  /** Names of the packages; each comes after those that it needs. */
  readonly order: readonly string[];
  /** What changed in this version, by package. */
  readonly changes: ReadonlyMap<string, string>;
  /** Why this must not be published; empty if nothing speaks against it. */
  readonly problems: readonly string[];
}

/** Reads from the manifests, changelogs, and changesets what would be released. */
export const planRelease = (): Release => {
  const folders = packageFolders.map((name) => `packages/${name}`);
  const manifests = folders.map(manifestOf);
  const [version = ""] = manifests.map((manifest) => manifest.version);
  const changes = new Map(
    folders.map((folder, index) => [
      manifests[index]?.name ?? "",
      changesIn(readFileSync(join(root, folder, "CHANGELOG.md"), "utf8"), version),
    ]),
  );
  const withoutChanges = [...changes].filter(([, text]) => text === "").map(([name]) => name);
  const pending = pendingChangesets(readdirSync(join(root, ".changeset")));
  return {
    version,
    order: inOrder(manifests),
    changes,
    problems: [
      ...versionProblems(manifests, version),
      ...withoutChanges.map((name) => `The changelog of ${name} has no section for ${version}.`),
      ...pendingProblems(pending),
    ],
  };
};

/** Returns the section of a version in a changelog, without its heading; empty if there is none. */
export const changesIn = (changelog: string, version: string): string => {
  const sections = changelog.split(/^## /m);
  return (sections.find((section) => section.startsWith(`${version}\n`)) ?? "").slice(version.length).trim();
};

export const pendingChangesets = (files: readonly string[]): string[] =>
  files.filter((file) => file.endsWith(".md") && file !== "README.md");

/** Returns in one line that changesets are left, however many there are. */
export const pendingProblems = (pending: readonly string[]): string[] => {
  const [first] = pending;
  if (first === undefined) return [];
  const found =
    pending.length === 1
      ? `.changeset/${first} is`
      : `${String(pending.length)} changesets, such as .changeset/${first}, are`;
  return [`${found} not part of a version. Run: npx tsx scripts/release/version.ts`];
};

/** Returns what is inconsistent: all packages have one version, and need each other in that version. */
export const versionProblems = (manifests: readonly Manifest[], version: string): string[] => {
  const names = manifests.map(({ name }) => name);
  return manifests.flatMap((manifest) => [
    ...(manifest.version === version
      ? []
      : [`${manifest.name} has version ${manifest.version}, not ${version}.`]),
    ...Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).flatMap(([name, range]) =>
      names.includes(name) && range !== version
        ? [`${manifest.name} needs ${name} ${range}, not ${version}.`]
        : [],
    ),
  ]);
};

/** Orders packages so that each comes after those of them that npm installs with it. */
export const inOrder = (manifests: readonly Manifest[]): string[] => {
  const ordered = new Set<string>();
  const add = ({ name, dependencies, peerDependencies }: Manifest): void => {
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) {
      const manifest = manifests.find((each) => each.name === needed);
      if (manifest && !ordered.has(needed)) add(manifest);
    }
    ordered.add(name);
  };
  for (const manifest of manifests) add(manifest);
  return [...ordered];
};
