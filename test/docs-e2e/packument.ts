import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** What a registry says about one version of a package. */
export interface Manifest {
  name: string;
  version: string;
  scripts?: Record<string, string>;
  hasInstallScript?: boolean;
  dist: { tarball: string; shasum?: string; integrity?: string };
}

/** What a registry says about a package. */
export interface Packument {
  name: string;
  "dist-tags": Record<string, string>;
  versions: Record<string, Manifest>;
  time?: Record<string, string>;
}

/** The packages that are not from this repository. */
export interface OtherPackages {
  /** Throws `NotFound`. */
  packument(name: string): Promise<Packument>;
  /** Returns the path of a version's tarball on this machine. Throws `NotFound`. */
  tarball(manifest: Manifest): Promise<string>;
}

/** A package or a version that does not exist. */
export class NotFound extends Error {}

/** The fields of npm's abbreviated metadata, which package managers read. */
const installFields = [
  ...["name", "version", "dependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta"],
  ...[
    "bundleDependencies",
    "bundledDependencies",
    "bin",
    "engines",
    "os",
    "cpu",
    "libc",
    "dist",
    "deprecated",
  ],
  ...["hasInstallScript", "directories"],
];

/** Returns only what package managers read. */
export const abbreviate = (manifest: Manifest): Manifest => {
  const { install, preinstall, postinstall } = manifest.scripts ?? {};
  const hasInstallScript = [install, preinstall, postinstall].some((script) => script !== undefined);
  const kept = Object.entries(manifest).filter(([field]) => installFields.includes(field));
  // The same object with fewer fields.
  return {
    ...(Object.fromEntries(kept) as unknown as Manifest),
    ...(hasInstallScript && { hasInstallScript }),
  };
};

/** Returns the metadata of a packed package. */
export const packumentOf = (tarball: string): Packument => {
  const text = execFileSync("tar", ["--extract", "--to-stdout", "--file", tarball, "package/package.json"], {
    encoding: "utf8",
  });
  const manifest: Manifest = JSON.parse(text);
  const bytes = readFileSync(tarball);
  const hash = (algorithm: string, encoding: "hex" | "base64"): string =>
    createHash(algorithm).update(bytes).digest(encoding);
  const dist = {
    tarball: "",
    shasum: hash("sha1", "hex"),
    integrity: `sha512-${hash("sha512", "base64")}`,
  };
  const { name, version } = manifest;
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: abbreviate({ ...manifest, dist }) },
    // Long ago: some package managers refuse what was published within the last days.
    time: { [version]: "2020-01-01T00:00:00.000Z" },
  };
};
