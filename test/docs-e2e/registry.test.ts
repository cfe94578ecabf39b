import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { lockedPackages } from "./locked.js";
import { newestPackages } from "./newest.js";
import type { OtherPackages } from "./packument.js";
import { type Registry, startRegistry } from "./registry.js";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "strangers-registry-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const digest = createHash("sha512").update("packed").digest();
const integrity = `sha512-${digest.toString("base64")}`;

/** A registry that has every package in the same two versions. It refuses as many requests as `failures` says. */
const startUpstream = async (failures = 0): Promise<{ url: string; asked: string[] }> => {
  const asked: string[] = [];
  const server = createServer(({ url: path = "/" }, response) => {
    asked.push(path);
    if (asked.length <= failures) {
      response.writeHead(503).end();
      return;
    }
    const [, name = ""] = path.split("/");
    if (name === "unknown") response.writeHead(404).end();
    else if (path.endsWith(".tgz")) response.end("packed");
    else {
      const time = { "1.9.0": "2026-02-01", "1.10.0": "2026-03-01" };
      const versions = Object.keys(time).map((version) => {
        const tarball = new URL(`${name}/-/${name}-${version}.tgz`, url).href;
        return [version, { name, version, readme: "long", dist: { tarball, integrity } }] as const;
      });
      const tags = { latest: "1.10.0" };
      response.end(JSON.stringify({ name, "dist-tags": tags, versions: Object.fromEntries(versions), time }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  // A server that listens on a port has such an address.
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  return { url, asked };
};

const start = async (others: OtherPackages): Promise<Registry> => {
  const registry = await startRegistry({ tarballs: {}, others });
  cleanUps.push(() => registry.close());
  return registry;
};

interface Metadata {
  "dist-tags": Record<string, string>;
  versions: Record<string, { dist: { tarball: string; integrity: string } }>;
}
const metadataOf = async (registry: Registry, name: string): Promise<Metadata> =>
  // What registries return.
  (await (await fetch(new URL(name, registry.url))).json()) as Metadata;

/** Returns the status of a response, and the message of its error. */
const refusalOf = async (registry: Registry, path: string): Promise<{ status: number; error: unknown }> => {
  const response = await fetch(new URL(path, registry.url));
  // What npm prints of a refusal.
  const { error } = (await response.json()) as { error: unknown };
  return { status: response.status, error };
};

it("has all versions of another registry, and keeps the tarballs that were asked for", async () => {
  const { url, asked } = await startUpstream();
  const folder = temporaryFolder();
  const tarballs: string[] = [];
  for (let times = 1; times <= 2; times += 1) {
    const registry = await start(newestPackages(url, folder));
    const { versions } = await metadataOf(registry, "some");
    expect(Object.keys(versions)).toEqual(["1.9.0", "1.10.0"]);
    const tarball = versions["1.10.0"]?.dist.tarball ?? "";
    expect(tarball).toBe(`${registry.url}some/-/some-1.10.0.tgz`);
    tarballs.push(await (await fetch(tarball)).text());
  }
  expect(tarballs).toEqual(["packed", "packed"]);
  expect(asked).toEqual(["/some", "/some/-/some-1.10.0.tgz", "/some"]);
});

it("asks another registry again after it refused metadata three times", async () => {
  const { url, asked } = await startUpstream(3);
  const registry = await start(newestPackages(url, temporaryFolder()));
  const error = `Error: The registry returned 503 for ${url}some`;
  expect(await refusalOf(registry, "some")).toEqual({ status: 502, error });
  expect(Object.keys((await metadataOf(registry, "some")).versions)).toEqual(["1.9.0", "1.10.0"]);
  expect(asked).toHaveLength(4);
});

it("says that another registry has no such package", async () => {
  const { url, asked } = await startUpstream();
  const registry = await start(newestPackages(url, temporaryFolder()));
  const error = `The registry has no ${url}unknown`;
  expect(await refusalOf(registry, "unknown")).toEqual({ status: 404, error });
  expect(asked).toHaveLength(1);
});

/** A folder with a lockfile and a cache, which is empty. `asked` are the versions that npm is to download. */
const lockedIn = (download: (attempt: number, tarball: string) => void) => {
  const folder = temporaryFolder();
  const lockfile = join(folder, "package-lock.json");
  const packages = {
    "": { name: "mgmt", version: "0.1.0" },
    "packages/sdk": { name: "@mgmt/sdk", version: "0.1.0" },
    "node_modules/@mgmt/sdk": { resolved: "packages/sdk", link: true },
    "node_modules/some": { version: "1.10.0", integrity, dev: true, dependencies: { other: "^2.0.0" } },
    "node_modules/one/node_modules/some": { version: "1.9.0", integrity },
    "node_modules/two/node_modules/some": { version: "2.0.0-rc.1", integrity },
    "node_modules/three/node_modules/some": { version: "1.9.0", integrity },
    "node_modules/alias": { name: "@scope/real", version: "3.0.0", integrity },
  };
  writeFileSync(lockfile, JSON.stringify({ packages }));
  const hex = digest.toString("hex");
  const cached = join("_cacache/content-v2/sha512", hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
  const tarball = join(folder, cached);
  const asked: string[] = [];
  const others = lockedPackages({
    lockfile,
    cache: folder,
    download: async (spec) => {
      asked.push(spec);
      download(asked.length, tarball);
    },
  });
  return { others, asked, tarball };
};
const write = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "packed");
};

it("has the versions of a lockfile alone, under their own names, as npm's metadata", async () => {
  const { others } = lockedIn(() => undefined);
  const registry = await start(others);
  const { versions, "dist-tags": tags } = await metadataOf(registry, "some");
  expect(Object.keys(versions)).toEqual(["1.9.0", "1.10.0", "2.0.0-rc.1"]);
  expect(tags).toEqual({ latest: "1.10.0" });
  const tarball = `${registry.url}some/-/some-1.10.0.tgz`;
  expect(versions["1.10.0"]).toEqual({
    ...{ name: "some", version: "1.10.0", dependencies: { other: "^2.0.0" } },
    dist: { tarball, integrity },
  });
  expect(Object.keys((await metadataOf(registry, "@scope%2freal")).versions)).toEqual(["3.0.0"]);
});

it("refuses a package that a lockfile lacks, and names it", async () => {
  const registry = await start(lockedIn(() => undefined).others);
  for (const name of ["other", "alias"])
    expect(await refusalOf(registry, name)).toEqual({
      status: 404,
      error: `package-lock.json has no ${name}`,
    });
  expect(await refusalOf(registry, "@mgmt%2fsdk")).toEqual({
    status: 404,
    error: "This repository has no package @mgmt/sdk",
  });
});

it("refuses a version that a lockfile lacks, and names it", async () => {
  const { others, asked, tarball } = lockedIn(() => undefined);
  write(tarball);
  const registry = await start(others);
  expect(await refusalOf(registry, "@scope/real/-/real-3.0.1.tgz")).toEqual({
    status: 404,
    error: "There is no @scope/real/-/real-3.0.1.tgz, only @scope/real in versions 3.0.0",
  });
  expect(asked).toEqual([]);
});

it("has the tarballs that npm has in its cache, without downloading them", async () => {
  const { others, asked, tarball } = lockedIn(() => undefined);
  write(tarball);
  const registry = await start(others);
  const { versions } = await metadataOf(registry, "some");
  expect(await (await fetch(versions["1.9.0"]?.dist.tarball ?? "")).text()).toBe("packed");
  expect(asked).toEqual([]);
});

it("lets npm download a tarball that it lacks, up to three times", async () => {
  const { others, asked } = lockedIn((attempt, tarball) => {
    if (attempt < 3) throw new Error("The registry returned 503");
    write(tarball);
  });
  const registry = await start(others);
  expect(await (await fetch(new URL("some/-/some-1.9.0.tgz", registry.url))).text()).toBe("packed");
  expect(asked).toEqual(["some@1.9.0", "some@1.9.0", "some@1.9.0"]);
});

it("says why npm cannot download a tarball, and tries again when it is asked for again", async () => {
  const { others, asked } = lockedIn(() => {
    throw new Error("The registry returned 503");
  });
  const registry = await start(others);
  for (let times = 1; times <= 2; times += 1)
    expect(await refusalOf(registry, "some/-/some-1.9.0.tgz")).toEqual({
      status: 502,
      error: "Error: The registry returned 503",
    });
  expect(asked).toHaveLength(6);
});

it("refuses a tarball that differs from the one in the lockfile, and names its version", async () => {
  const registry = await start(lockedIn(() => undefined).others);
  expect(await refusalOf(registry, "some/-/some-1.9.0.tgz")).toEqual({
    status: 502,
    error: "Error: npm has no some@1.9.0 with the integrity in package-lock.json",
  });
});
