import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Manifest,
  UnknownFormatError,
  isCopiedDir,
  readDirectoryInode,
  readManifest,
  writeManifest,
} from "./manifest.js";

let folder: string;
let manifest: Manifest;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgmt-manifest-"));
  manifest = {
    format: 1,
    directory: await readDirectoryInode(folder),
    port: null,
    postgres: { major: 18, port: 1, directPort: 2, password: "secret", complete: true },
  };
});
afterEach(() => rm(folder, { recursive: true }));

const write = (value: unknown): Promise<void> =>
  writeFile(join(folder, "platform.json"), JSON.stringify(value), { mode: 0o600 });

describe("the manifest of a data directory", () => {
  it("is undefined for a directory without one", async () => {
    expect(await readManifest(folder)).toBeUndefined();
  });

  it.each([null, 4300])("is read as it was written, with the port %s", async (port) => {
    await writeManifest(folder, { ...manifest, port });
    expect(await readManifest(folder)).toEqual({ ...manifest, port });
  });

  it("tells a copy from its directory", async () => {
    expect(await isCopiedDir(folder, manifest)).toBe(false);
    expect(await isCopiedDir(folder, { ...manifest, directory: manifest.directory + 1 })).toBe(true);
  });

  it("has a format of its own for other versions", async () => {
    await write({ ...manifest, format: 2 });
    await expect(readManifest(folder)).rejects.toThrow(UnknownFormatError);
  });

  it.each([
    ["no object", 1],
    ["null", null],
    ["no format", { a: 1 }],
    ["the format alone", { format: 1 }],
  ])("is not valid when it is %s", async (_, value) => {
    await write(value);
    await expect(readManifest(folder)).rejects.toThrow("it is not valid");
  });

  it.each([
    { directory: undefined },
    { port: "4300" },
    { port: undefined },
    { postgres: null },
    ...["major", "port", "directPort", "password", "complete"].map((name) => ({
      postgres: { [name]: null },
    })),
  ])("is not valid with %j", async ({ postgres, ...fields }: { postgres?: object | null }) => {
    const inner = postgres === null ? null : { ...manifest.postgres, ...postgres };
    await write({ ...manifest, ...fields, postgres: inner });
    await expect(readManifest(folder)).rejects.toThrow("it is not valid");
  });
});
