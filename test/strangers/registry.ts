import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import type { Lock, Locked } from "./lock.js";

interface Manifest {
  name: string;
  version: string;
  scripts?: Record<string, string>;
  hasInstallScript?: boolean;
  dist: { tarball: string; shasum?: string; integrity?: string };
}
interface Packument {
  name: string;
  "dist-tags": Record<string, string>;
  versions: Record<string, Manifest>;
  time?: Record<string, string>;
}

export interface Registry {
  /** Address with a slash at its end. */
  readonly url: string;
  /** Versions of other packages whose tarballs somebody asked for. */
  readonly served: readonly Locked[];
  /** From now on, has all versions that others published before the time of the lock. */
  unlock(): void;
  close(): Promise<void>;
}

export interface RegistryOptions {
  /** Registry of all other packages. */
  upstream: string;
  /** The packages of this repository, packed, by name. */
  tarballs: Readonly<Record<string, string>>;
  /** Folder that keeps the tarballs of other packages. */
  cache: string;
  /** Hides all versions of other packages but these. Default: hides none. */
  lock?: Lock | undefined;
}

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

const abbreviate = (manifest: Manifest): Manifest => {
  const { install, preinstall, postinstall } = manifest.scripts ?? {};
  const hasInstallScript = [install, preinstall, postinstall].some((script) => script !== undefined);
  const kept = Object.entries(manifest).filter(([field]) => installFields.includes(field));
  // The same object with fewer fields.
  return {
    ...(Object.fromEntries(kept) as unknown as Manifest),
    ...(hasInstallScript && { hasInstallScript }),
  };
};

const isStable = (version: string): boolean => !version.includes("-");

/** Returns the metadata as it was at a time, with only what package managers read. */
const asOf = (full: Packument, before: Date | undefined): Packument => {
  const { name, time = {}, "dist-tags": tags } = full;
  const isKnown = (version: string): boolean =>
    before === undefined || new Date(time[version] ?? 0).getTime() <= before.getTime();
  const versions = Object.fromEntries(
    Object.entries(full.versions)
      .filter(([version]) => isKnown(version))
      .map(([version, manifest]) => [version, abbreviate(manifest)]),
  );
  const kept = Object.entries(tags).filter(([, version]) => version in versions);
  const latest = Object.keys(versions)
    .filter(isStable)
    .sort((one, other) => (time[one] ?? "").localeCompare(time[other] ?? ""))
    .at(-1);
  return {
    name,
    "dist-tags": { ...(latest !== undefined && { latest }), ...Object.fromEntries(kept) },
    versions,
    time: Object.fromEntries(Object.entries(time).filter(([version]) => version in versions)),
  };
};

/** Returns metadata that has only the versions of a lock, from the metadata of each. */
const packumentOfLocked = (name: string, manifests: readonly Manifest[]): Packument => {
  const versions = manifests.map((manifest) => [manifest.version, abbreviate(manifest)] as const);
  const latest = manifests.findLast(({ version }) => isStable(version)) ?? manifests.at(-1);
  return {
    name,
    "dist-tags": { ...(latest && { latest: latest.version }) },
    versions: Object.fromEntries(versions),
  };
};

/** Returns the metadata of a packed package. */
const packumentOf = (tarball: string): Packument => {
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

const download = async (url: string): Promise<Response> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(url);
      if (response.status < 500 || attempt === 3) return response;
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
};

/** Downloads metadata, or returns nothing if the registry has none. */
const metadata = async <T>(url: string): Promise<T | undefined> => {
  const response = await download(url);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`The registry returned ${String(response.status)} for ${url}`);
  // What registries return.
  return (await response.json()) as T;
};

/**
 * Starts a registry on a free port that has the packed packages of this repository, and passes on all others. It serves their
 * tarballs, too, so that package managers connect to nothing else.
 */
export const startRegistry = async ({
  upstream,
  tarballs,
  cache,
  lock,
}: RegistryOptions): Promise<Registry> => {
  mkdirSync(cache, { recursive: true });
  const served: Locked[] = [];
  let isUnlocked = false;
  const packuments = new Map<string, Promise<Packument | undefined>>();
  /** Where each tarball is, by its path here. */
  const addresses = new Map<string, { version: string; from: string }>();

  const load = async (name: string): Promise<Packument | undefined> => {
    const tarball = tarballs[name];
    if (tarball !== undefined) return packumentOf(tarball);
    if (name.startsWith("@mgmt/")) return undefined;
    const address = new URL(name.replace("/", "%2f"), upstream).href;
    const locked = isUnlocked ? undefined : lock?.versions[name];
    if (locked) {
      const manifests = locked.map((version) => metadata<Manifest>(`${address}/${version}`));
      return packumentOfLocked(
        name,
        (await Promise.all(manifests)).filter((each) => each !== undefined),
      );
    }
    const full = await metadata<Packument>(address);
    const packument = full && asOf(full, lock && new Date(lock.time));
    return packument && Object.keys(packument.versions).length > 0 ? packument : undefined;
  };
  const packumentFor = (name: string): Promise<Packument | undefined> => {
    const known = packuments.get(name);
    if (known) return known;
    const loading = load(name).then((packument) => {
      for (const { version, dist } of Object.values(packument?.versions ?? {})) {
        const file = `${name}/-/${name.replace(/^@.*\//, "")}-${version}.tgz`;
        addresses.set(file, { version, from: tarballs[name] ?? dist.tarball });
        dist.tarball = new URL(file, url).href;
      }
      return packument;
    });
    packuments.set(name, loading);
    return loading;
  };

  /** Returns the path of a tarball on this machine. */
  const tarballOf = async (path: string): Promise<string | undefined> => {
    const [name = ""] = path.split("/-/");
    await packumentFor(name);
    const address = addresses.get(path);
    if (address === undefined || name in tarballs) return address?.from;
    served.push([name, address.version]);
    const kept = join(cache, path.replaceAll("/", "+"));
    if (existsSync(kept)) return kept;
    const response = await download(address.from);
    if (!response.ok) return undefined;
    const partial = `${kept}.${String(process.pid)}.${String(Math.random()).slice(2)}`;
    await writeFile(partial, Buffer.from(await response.arrayBuffer()));
    await rename(partial, kept);
    return kept;
  };

  const refuse = (response: ServerResponse, status: number, error: string): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  };
  const respond = async (path: string, response: ServerResponse): Promise<void> => {
    if (path.includes("/-/")) {
      const file = await tarballOf(path);
      if (file === undefined) refuse(response, 404, `There is no ${path}`);
      else
        createReadStream(file).pipe(response.writeHead(200, { "content-type": "application/octet-stream" }));
      return;
    }
    const packument = await packumentFor(path);
    if (packument) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(packument));
    } else {
      refuse(response, 404, `There is no package ${path}`);
    }
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/")
      .replace(/^\//, "")
      .replace(/\?.*/, "");
    // `npm audit`, and the endpoints of registries that have nothing to do with installing.
    if (request.method !== "GET" || path.startsWith("-/")) refuse(response, 404, "Not found");
    else respond(path, response).catch((error: unknown) => refuse(response, 502, String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  return {
    url,
    served,
    unlock: () => {
      isUnlocked = true;
      packuments.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
