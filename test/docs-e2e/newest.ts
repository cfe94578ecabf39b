import { existsSync, mkdirSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type OtherPackages, type Packument, NotFound, abbreviate } from "./packument.js";

const download = async (url: string): Promise<Response> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(url);
      if (response.status === 404) throw new NotFound(`The registry has no ${url}`);
      if (response.ok) return response;
      throw new Error(`The registry returned ${String(response.status)} for ${url}`);
    } catch (error) {
      if (error instanceof NotFound || attempt === 3) throw error;
    }
  }
};

/** Returns all packages of a registry. Their tarballs are kept in a folder. */
export const newestPackages = (registry: string, folder: string): OtherPackages => {
  mkdirSync(folder, { recursive: true });
  return {
    packument: async (name) => {
      const response = await download(new URL(name.replace("/", "%2f"), registry).href);
      // What registries return.
      const { "dist-tags": tags, versions, time } = (await response.json()) as Packument;
      const abbreviated = Object.entries(versions).map(
        ([version, manifest]) => [version, abbreviate(manifest)] as const,
      );
      return {
        name,
        "dist-tags": tags,
        versions: Object.fromEntries(abbreviated),
        ...(time && { time }),
      };
    },
    tarball: async ({ name, version, dist }) => {
      const kept = join(folder, `${name.replace("/", "+")}-${version}.tgz`);
      if (existsSync(kept)) return kept;
      const response = await download(dist.tarball);
      const partial = `${kept}.${String(process.pid)}.${String(Math.random()).slice(2)}`;
      await writeFile(partial, Buffer.from(await response.arrayBuffer()));
      await rename(partial, kept);
      return kept;
    },
  };
};
