import { createReadStream } from "node:fs";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Manifest, type OtherPackages, type Packument, NotFound, packumentOf } from "./packument.js";

export interface Registry {
  /** Address with a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

export interface RegistryOptions {
  /** The packages of this repository, packed, by name. */
  tarballs: Readonly<Record<string, string>>;
  others: OtherPackages;
}

/**
 * Starts a registry on a free port that has the packed packages of this repository, and others. It serves their tarballs, too, so that
 * package managers connect to nothing else.
 */
export const startRegistry = async ({ tarballs, others }: RegistryOptions): Promise<Registry> => {
  const packuments = new Map<string, Promise<Packument>>();
  /** By the path of the tarball here. */
  const manifests = new Map<string, Manifest>();

  const load = async (name: string): Promise<Packument> => {
    const tarball = tarballs[name];
    if (tarball !== undefined) return packumentOf(tarball);
    if (name.startsWith("@mgmt/")) throw new NotFound(`This repository has no package ${name}`);
    return others.packument(name);
  };
  const packumentFor = (name: string): Promise<Packument> => {
    const known = packuments.get(name);
    if (known) return known;
    const loading = load(name).then((packument) => {
      const here = Object.entries(packument.versions).map(([version, manifest]) => {
        const file = `${name}/-/${name.replace(/^@.*\//, "")}-${version}.tgz`;
        manifests.set(file, manifest);
        const dist = { ...manifest.dist, tarball: new URL(file, url).href };
        return [version, { ...manifest, dist }] as const;
      });
      return { ...packument, versions: Object.fromEntries(here) };
    });
    packuments.set(name, loading);
    // Package managers ask again.
    loading.catch(() => packuments.delete(name));
    return loading;
  };

  /** Returns the path of a tarball on this machine. */
  const tarballOf = async (path: string): Promise<string> => {
    const [name = ""] = path.split("/-/");
    const { versions } = await packumentFor(name);
    const manifest = manifests.get(path);
    if (!manifest)
      throw new NotFound(`There is no ${path}, only ${name} in versions ${Object.keys(versions).join(", ")}`);
    return tarballs[name] ?? others.tarball(manifest);
  };

  const refuse = (response: ServerResponse, status: number, error: string): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  };
  const respond = async (path: string, response: ServerResponse): Promise<void> => {
    if (path.includes("/-/")) {
      const file = await tarballOf(path);
      createReadStream(file).pipe(response.writeHead(200, { "content-type": "application/octet-stream" }));
    } else {
      const packument = await packumentFor(path);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(packument));
    }
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/")
      .replace(/^\//, "")
      .replace(/\?.*/, "");
    // `npm audit`, and the endpoints of registries that have nothing to do with installing.
    if (request.method !== "GET" || path.startsWith("-/")) refuse(response, 404, "Not found");
    else
      respond(path, response).catch((error: unknown) => {
        if (error instanceof NotFound) refuse(response, 404, error.message);
        else refuse(response, 502, String(error));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
