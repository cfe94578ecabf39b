import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Lock, lockOf } from "./lock.js";
import { lockedIn } from "./installed.js";
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

const times = {
  "1.0.0": "2026-01-01",
  "1.9.0": "2026-02-01",
  "1.10.0": "2026-03-01",
  "2.0.0-rc.1": "2026-04-01",
};

/** A registry that has every package in the same four versions. */
const startUpstream = async (): Promise<{ url: string; asked: string[] }> => {
  const asked: string[] = [];
  const server = createServer(({ url: path = "/" }, response) => {
    asked.push(path);
    const [, name = "", version] = path.split("/");
    const manifest = (each: string): object => ({
      name,
      version: each,
      dist: { tarball: new URL(`${name}/-/${name}-${each}.tgz`, url).href },
    });
    if (path.endsWith(".tgz")) response.end("packed");
    else if (version !== undefined) response.end(JSON.stringify(manifest(version)));
    else {
      const versions = Object.fromEntries(Object.keys(times).map((each) => [each, manifest(each)]));
      response.end(JSON.stringify({ name, "dist-tags": { latest: "1.10.0" }, versions, time: times }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  // A server that listens on a port has such an address.
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  return { url, asked };
};

const start = async (upstream: string, lock?: Lock): Promise<Registry> => {
  const registry = await startRegistry({ upstream, tarballs: {}, cache: temporaryFolder(), lock });
  cleanUps.push(() => registry.close());
  return registry;
};

interface Metadata {
  "dist-tags": Record<string, string>;
  versions: Record<string, { dist: { tarball: string } }>;
}
const metadataOf = async (registry: Registry, name: string): Promise<Metadata> =>
  // What registries return.
  (await (await fetch(new URL(name, registry.url))).json()) as Metadata;

it("has the versions of the lock alone, without downloading what is known of the others", async () => {
  const { url, asked } = await startUpstream();
  const registry = await start(url, { time: "2026-05-01", versions: { locked: ["1.0.0", "1.9.0"] } });
  const metadata = await metadataOf(registry, "locked");
  expect(Object.keys(metadata.versions)).toEqual(["1.0.0", "1.9.0"]);
  expect(metadata["dist-tags"]).toEqual({ latest: "1.9.0" });
  expect(asked.sort()).toEqual(["/locked/1.0.0", "/locked/1.9.0"]);
});

it("has packages that the lock lacks as they were at its time", async () => {
  const { url } = await startUpstream();
  const registry = await start(url, { time: "2026-02-15", versions: { locked: ["1.0.0"] } });
  const metadata = await metadataOf(registry, "new");
  expect(Object.keys(metadata.versions)).toEqual(["1.0.0", "1.9.0"]);
  expect(metadata["dist-tags"]).toEqual({ latest: "1.9.0" });
});

it("has the other versions from the time of the lock, too, once it is unlocked", async () => {
  const { url } = await startUpstream();
  const registry = await start(url, { time: "2026-02-15", versions: { locked: ["1.0.0"] } });
  await metadataOf(registry, "locked");
  registry.unlock();
  expect(Object.keys((await metadataOf(registry, "locked")).versions)).toEqual(["1.0.0", "1.9.0"]);
});

it("has all versions without a lock, and says whose tarballs were asked for", async () => {
  const { url } = await startUpstream();
  const registry = await start(url);
  const { versions } = await metadataOf(registry, "some");
  expect(Object.keys(versions)).toEqual(Object.keys(times));
  const tarball = await fetch(versions["1.10.0"]?.dist.tarball ?? "");
  expect(await tarball.text()).toBe("packed");
  expect(registry.served).toEqual([["some", "1.10.0"]]);
});

it("reads from a lockfile also the packages for other platforms, under their own names", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  const packages = {
    "": { name: "stranger", version: "1.0.0" },
    "node_modules/@mgmt/sdk": { version: "0.1.0" },
    "node_modules/@esbuild/aix-ppc64": { version: "0.27.0", optional: true },
    "node_modules/one/node_modules/two": { version: "2.0.0" },
    "node_modules/alias": { name: "three", version: "3.0.0" },
  };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages }));
  expect(lockedIn(folder)).toEqual([
    ["@esbuild/aix-ppc64", "0.27.0"],
    ["two", "2.0.0"],
    ["three", "3.0.0"],
  ]);
  expect(lockedIn(temporaryFolder())).toEqual([]);
});

it("writes each version of a lock once, the newest last", () => {
  const found = [
    ["b", "1.10.0"],
    ["b", "1.9.0"],
    ["a", "1.0.0"],
    ["b", "1.10.0"],
  ] as const;
  expect(JSON.stringify(lockOf(new Date(0), found))).toBe(
    '{"time":"1970-01-01T00:00:00.000Z","versions":{"a":["1.0.0"],"b":["1.9.0","1.10.0"]}}',
  );
});
