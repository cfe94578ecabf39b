import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, type OtherPackages, NotFound, abbreviate } from "./packument.js";

/** A package in npm's lockfile. */
interface Entry {
  name?: string;
  version?: string;
  integrity?: string;
}

const order = new Intl.Collator("en", { numeric: true });

const manifestsIn = (lockfile: string): Manifest[] => {
  const { packages }: { packages: Record<string, Entry> } = JSON.parse(readFileSync(lockfile, "utf8"));
  return Object.entries(packages).flatMap(([path, entry]): Manifest[] => {
    const [, installedAs] = /.*node_modules\/(.+)$/.exec(path) ?? [];
    const { name = installedAs, version, integrity } = entry;
    // The packages of this repository have no integrity.
    if (name === undefined || version === undefined || integrity === undefined) return [];
    return [abbreviate({ ...entry, name, version, dist: { tarball: "", integrity } })];
  });
};

export interface LockedOptions {
  /** The path of npm's lockfile. */
  lockfile: string;
  /** The folder that is npm's cache, which has what `npm ci` installed. */
  cache: string;
  /** Lets npm download a version into its cache. */
  download(spec: string): Promise<unknown>;
}

/** Returns the packages of a lockfile, each in the versions that it has there, as `npm ci` installs them. */
export const lockedPackages = ({ lockfile, cache, download }: LockedOptions): OtherPackages => {
  const manifests = manifestsIn(lockfile).sort((one, other) => order.compare(one.version, other.version));
  let downloads: Promise<unknown> = Promise.resolve();
  return {
    packument: async (name) => {
      const found = manifests.filter((manifest) => manifest.name === name);
      const latest = found.findLast(({ version }) => !version.includes("-")) ?? found.at(-1);
      if (!latest) throw new NotFound(`package-lock.json has no ${name}`);
      const versions = found.map((manifest) => [manifest.version, manifest] as const);
      return { name, "dist-tags": { latest: latest.version }, versions: Object.fromEntries(versions) };
    },
    tarball: async ({ name, version, dist: { integrity = "" } }) => {
      const [, algorithm = "", digest = ""] = /^(\w+)-(\S+)/.exec(integrity) ?? [];
      const hex = Buffer.from(digest, "base64").toString("hex");
      const parts = [algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)];
      const file = join(cache, "_cacache/content-v2", ...parts);
      for (let attempt = 1; !existsSync(file); attempt += 1) {
        // One at a time: each is a process.
        const downloading = downloads.then(() => download(`${name}@${version}`));
        downloads = downloading.catch(() => undefined);
        await downloading.catch((error: unknown) => {
          if (attempt === 3) throw error;
        });
        if (attempt === 3 && !existsSync(file))
          throw new Error(`npm has no ${name}@${version} with the integrity in package-lock.json`);
      }
      return file;
    },
  };
};
