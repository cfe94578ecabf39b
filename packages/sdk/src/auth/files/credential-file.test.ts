import { type FileHandle, mkdir, open, readFile, readdir, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TokenStoreError } from "@mgmt/sdk/auth";
import { fileStore } from "@mgmt/sdk/auth/node";
import { thrown } from "../../../test/server.js";
import { credentialFor } from "../../../test/auth/fault-server.js";
import { makeFolder } from "../../../test/auth/folders.js";

const server = { baseUrl: "https://auth.example.com" };
const credential = credentialFor(server, 3600);
const next = { ...credential, accessToken: "access-1", refreshToken: "refresh-1" };

let file = "";
beforeEach(async () => {
  file = join(await makeFolder(), "credentials.json");
  await fileStore(file).write(credential);
});
afterEach(() => vi.restoreAllMocks());

/** Contents of the folder at each flush to disk (fsync). */
const watchSyncs = async (): Promise<Record<string, string>[]> => {
  const handle = await open(file);
  // All file handles share one prototype.
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  const seen: Record<string, string>[] = [];
  vi.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
    const names = await readdir(dirname(file));
    const texts = names.map(async (name) => [name, await readFile(join(dirname(file), name), "utf8")]);
    seen.push(Object.fromEntries(await Promise.all(texts)));
    await sync.call(this);
  });
  return seen;
};

const reserve = async () => {
  const place = await fileStore(file).reserve?.();
  if (!place) throw new Error("A file has places");
  return place;
};
const names = (): Promise<string[]> => readdir(dirname(file));

describe("a write of fileStore", () => {
  it("flushes the whole text to a temporary file, renames it over the old one, then flushes the folder", async () => {
    const before = await readFile(file, "utf8");
    const seen = await watchSyncs();
    await fileStore(file).write(next);
    await fileStore(file).write(credential);
    const after = JSON.stringify(next, undefined, 2);
    const temporaries = [0, 2].map((index) =>
      Object.keys(seen[index] ?? {}).find((name) => /tmp$/.test(name)),
    );
    expect(seen[0]).toEqual({ [basename(file)]: before, [temporaries[0] ?? ""]: `${after}\n` });
    expect(seen[1]).toEqual({ [basename(file)]: `${after}\n` });
    expect(seen).toHaveLength(4);
    expect(new Set(temporaries).size).toBe(2);
    for (const name of temporaries) expect(name).toMatch(/^credentials\.json\.[\w-]{12}\.tmp$/);
  });

  it("does the same with a refreshed credential, in the reserved space", async () => {
    const before = await readFile(file, "utf8");
    const place = await reserve();
    const seen = await watchSyncs();
    await place.write(next);
    await place.release();
    const text = await readFile(file, "utf8");
    expect(JSON.parse(text)).toMatchObject(next);
    expect(seen).toEqual([
      { [basename(file)]: before, [`${basename(file)}.next`]: text },
      { [basename(file)]: text },
    ]);
  });

  it("preserves the old text and leaves no other file when flushing to disk fails", async () => {
    const before = await readFile(file, "utf8");
    const place = await reserve();
    await watchSyncs();
    const handle = await open(file);
    const broken = Object.assign(new Error("canary"), { code: "EIO" });
    vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync").mockRejectedValue(broken);
    await handle.close();
    for (const work of [() => place.write(next), () => fileStore(file).write(next)]) {
      const error = await thrown(work());
      expect(error).toBeInstanceOf(TokenStoreError);
      expect(error).toMatchObject({
        ...{ code: "auth:store_failed", hint: expect.any(String) },
        message: `${file} could not be written (EIO)`,
      });
    }
    await place.release();
    expect(await readFile(file, "utf8")).toBe(before);
    expect(await names()).toEqual([basename(file)]);
  });
});

describe("an abandoned temporary file that cannot be removed", () => {
  it("does not make a write fail whose text is in place", async () => {
    const abandoned = `${file}.abandoned.tmp`;
    await mkdir(abandoned);
    await utimes(abandoned, 0, 0);
    await fileStore(file).write(next);
    expect(await fileStore(file).read()).toEqual(next);
    expect(await names()).toContain(basename(abandoned));
  });
});

describe("reserved space of a lock holder that was considered dead", () => {
  it("survives when that holder gives up", async () => {
    const former = await reserve();
    const heir = await reserve();
    await former.release();
    await heir.write(next);
    await heir.release();
    expect(await fileStore(file).read()).toEqual(next);
    expect(await names()).toEqual([basename(file)]);
  });

  it("refuses a late write by that holder instead of replacing the file with a partial one", async () => {
    const before = await readFile(file, "utf8");
    const former = await reserve();
    const heir = await reserve();
    expect(await thrown(former.write({ ...credential, accessToken: "late" }))).toMatchObject({
      ...{ name: "TokenStoreError", code: "auth:store_failed", hint: expect.any(String) },
    });
    await former.release();
    expect(await readFile(file, "utf8")).toBe(before);
    expect((await stat(`${file}.next`)).mode & 0o777).toBe(0o600);
    await heir.write(next);
    await heir.release();
    expect(await fileStore(file).read()).toEqual(next);
    expect(await names()).toEqual([basename(file)]);
  });
});
