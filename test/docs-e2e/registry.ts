import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Registry {
  /** Address with a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/** A version of a package: what `package.json` says, or an entry of npm's lockfile. */
interface Release {
  name: string;
  version: string;
  integrity: string;
  /** Returns the path of its tarball on this machine. */
  tarball(): Promise<string>;
}

/** Returns the release of a packed package. */
const packedRelease = (tarball: string): Release => {
  const words = ["--extract", "--to-stdout", "--file", tarball, "package/package.json"];
  const manifest: { name: string; version: string } = JSON.parse(
    execFileSync("tar", words, { encoding: "utf8" }),
  );
  const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  return { ...manifest, integrity, tarball: () => Promise.resolve(tarball) };
};

/** Returns the releases that the lockfile of a folder has, as `npm ci` installs them, with what npm has in its cache. */
const lockedReleases = (folder: string): Release[] => {
  const cache = execFileSync("npm", ["config", "get", "cache"], { cwd: folder, encoding: "utf8" }).trim();
  const { packages }: { packages: Record<string, Partial<Release>> } = JSON.parse(
    readFileSync(join(folder, "package-lock.json"), "utf8"),
  );
  return Object.entries(packages).flatMap(([path, entry]): Release[] => {
    const { name = path.split("node_modules/").at(-1) ?? "", version, integrity } = entry;
    // The packages of this repository have no integrity.
    if (version === undefined || integrity === undefined) return [];
    const [, algorithm = "", digest = ""] = /^(\w+)-(\S+)/.exec(integrity) ?? [];
    const hex = Buffer.from(digest, "base64").toString("hex");
    const place = [algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)];
    const file = join(cache, "_cacache/content-v2", ...place);
    const tarball = async (): Promise<string> => {
      if (!existsSync(file))
        await promisify(execFile)("npm", ["cache", "add", `${name}@${version}`], { cwd: folder });
      if (existsSync(file)) return file;
      throw new Error(`npm has no ${name}@${version} with the integrity in package-lock.json`);
    };
    return [{ ...entry, name, version, integrity, tarball }];
  });
};

/**
 * Starts a registry on a free port.
 * @param tarballs the packages of this repository, packed
 * @param locked the folder with a lockfile, whose packages it has, too
 */
export const startRegistry = async (tarballs: readonly string[], locked?: string): Promise<Registry> => {
  const releases = [...tarballs.map(packedRelease), ...(locked === undefined ? [] : lockedReleases(locked))];
  const order = new Intl.Collator("en", { numeric: true });
  releases.sort((one, other) => order.compare(one.version, other.version));
  const fileOf = ({ name, version }: Release): string =>
    `${name}/-/${name.replace(/^@.*\//, "")}-${version}.tgz`;

  const metadataOf = (name: string): object | undefined => {
    const all = releases.filter((release) => release.name === name);
    const latest = all.findLast(({ version }) => !version.includes("-")) ?? all.at(-1);
    return (
      latest && {
        name,
        "dist-tags": { latest: latest.version },
        versions: Object.fromEntries(
          all.map((release) => [
            release.version,
            { ...release, dist: { tarball: url + fileOf(release), integrity: release.integrity } },
          ]),
        ),
        // Long ago: some package managers refuse what was published within the last days.
        time: Object.fromEntries(all.map(({ version }) => [version, "2020-01-01T00:00:00.000Z"])),
      }
    );
  };
  const respond = async (path: string, response: ServerResponse): Promise<void> => {
    const release = releases.find((candidate) => fileOf(candidate) === path);
    if (release) return void createReadStream(await release.tarball()).pipe(response);
    const metadata = metadataOf(path) ?? { error: `This registry has no ${path}` };
    response.writeHead("error" in metadata ? 404 : 200).end(JSON.stringify(metadata));
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://registry").pathname).slice(1);
    respond(path, response).catch((error: unknown) =>
      response.writeHead(502).end(JSON.stringify({ error: String(error) })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has such an address.
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close };
};
