import { chmod, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "@mgmt/sdk/auth/node";
import { credential, expectStoreError, makeFile, modeOf, text } from "../../../test/auth/credential-file.js";
import { asNobody, makeFolder } from "../../../test/auth/folders.js";

describe("reserved space of fileStore", () => {
  const next = { ...credential, accessToken: "canary-next", refreshToken: "canary-next-refresh" };
  const startFile = async (content = text) => {
    const file = await makeFile(content);
    const store = fileStore(file);
    const reserve = async () => {
      const reservation = await store.reserve?.();
      if (!reservation) throw new Error("The store reserves space");
      return reservation;
    };
    /** Writes the next file while the file may not be replaced. */
    const writeBeside = async (): Promise<void> => {
      const reservation = await reserve();
      await chmod(file, 0o400);
      await reservation.write(next);
      await reservation.release();
      await chmod(file, 0o600);
    };
    return { file, store, reserve, writeBeside, names: () => readdir(dirname(file)) };
  };

  it("replaces the file with it, and leaves nothing beside", async () => {
    const { file, store, reserve, names } = await startFile();
    const reservation = await reserve();
    expect(await modeOf(`${file}.next`)).toBe("600");
    expect(await store.read()).toEqual(credential);
    await reservation.write(next);
    await reservation.release();
    expect(await store.read()).toEqual(next);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject(next);
    expect(await modeOf(file)).toBe("600");
    expect(await names()).toEqual(["credentials.json"]);
  });

  it("changes nothing when nothing comes of it", async () => {
    const { file, reserve, names } = await startFile();
    await (await reserve()).release();
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await names()).toEqual(["credentials.json"]);
  });

  it("reads it beside a file that may no longer be replaced, and replaces the file once that is allowed", async () => {
    const { file, store, reserve, writeBeside, names } = await startFile();
    await writeBeside();
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await fileStore(file).read()).toEqual(next);
    expect((await names()).sort()).toEqual(["credentials.json", "credentials.json.next"]);

    // A refresh that fails or is killed loses neither of them.
    const left = await reserve();
    expect(await store.read()).toEqual(next);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject(next);
    await (await reserve()).release();
    await left.release();
    expect(await store.read()).toEqual(next);
    expect(await names()).toEqual(["credentials.json"]);
  });

  it.each(["", " ".repeat(8_192), JSON.stringify(next).slice(0, -9), JSON.stringify(next), "[]"])(
    "ignores a next file that is incomplete or does not name what it replaces: %j",
    async (content) => {
      const { file, store, reserve } = await startFile();
      await writeFile(`${file}.next`, content);
      expect(await store.read()).toEqual(credential);
      await (await reserve()).release();
      expect(await readFile(file, "utf8")).toBe(text);
    },
  );

  it("ignores a next file whose predecessor was replaced by another login", async () => {
    const { file, store, writeBeside, names } = await startFile();
    await writeBeside();
    const theirs = { ...credential, accessToken: "canary-theirs" };
    await writeFile(file, JSON.stringify(theirs));
    expect(await store.read()).toEqual(theirs);
    await store.write(credential);
    expect(await store.read()).toEqual(credential);
    expect(await names()).toEqual(["credentials.json"]);
  });

  it("is released with the credential when the store is cleared", async () => {
    const { store, writeBeside, names } = await startFile();
    await writeBeside();
    await store.clear();
    expect(await store.read()).toBeUndefined();
    expect(await names()).toEqual([]);
  });

  it("creates the next file beside the target of a link", async () => {
    const { file, writeBeside } = await startFile();
    const folder = await makeFolder();
    await symlink(file, join(folder, "linked.json"));
    await writeBeside();
    expect(await fileStore(join(folder, "linked.json")).read()).toEqual(next);
    expect(await readdir(folder)).toEqual(["linked.json"]);
  });

  it("creates none where nothing may be written", async () => {
    const { file, reserve, names } = await startFile();
    await chmod(file, 0o400);
    await expectStoreError(reserve(), "auth:store_read_only", file);
    await chmod(file, 0o644);
    await chmod(dirname(file), 0o555);
    await asNobody(() => expectStoreError(reserve(), "auth:store_read_only", file));
    expect(await names()).toEqual(["credentials.json"]);
  });
});
