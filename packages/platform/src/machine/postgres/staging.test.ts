import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stagePrograms } from "./staging.js";

let folder: string;
let native: string;
let program: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgmt-staging-"));
  native = join(folder, "package", "native");
  program = join(native, "bin", "postgres");
  await mkdir(join(native, "bin"), { recursive: true });
  await mkdir(join(native, "lib", "pkgconfig"), { recursive: true });
  await writeFile(program, "program", { mode: 0o755 });
  await writeFile(join(native, "lib", "libpq.so.5.18"), "library");
  await writeFile(join(native, "lib", "libpq.a"), "archive");
  const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }, { source: 1 }];
  await writeFile(join(native, "pg-symlinks.json"), JSON.stringify(links));
});
afterEach(() => rm(folder, { recursive: true }));

const stage = (): Promise<string> => stagePrograms(native, folder, "staged");

describe.skipIf(process.platform === "win32")("a staged copy of the programs", () => {
  it("has the programs and the links of libraries, and nothing else remains", async () => {
    expect(await stage()).toBe(join(folder, "staged", "bin"));
    expect(await readdir(join(folder, "staged", "lib"))).toEqual(["libpq.so.5", "libpq.so.5.18"]);
    expect(await readFile(join(folder, "staged", "lib", "libpq.so.5"), "utf8")).toBe("library");
    expect(await readdir(folder)).toEqual(["package", "staged"]);
  });

  it("leaves nothing behind if it fails", async () => {
    await rm(join(native, "pg-symlinks.json"));
    await expect(stage()).rejects.toThrow("pg-symlinks.json");
    expect(await readdir(folder)).toEqual(["package"]);
  });

  it("shares a file only while nobody else can change it, and everybody can run it", async () => {
    const isShared = async (): Promise<boolean> => {
      const copy = await stat(join(await stage(), "postgres"));
      await rm(join(folder, "staged"), { recursive: true });
      expect(copy.mode & 0o777).toBe(0o755);
      return copy.ino === (await stat(program)).ino;
    };
    expect(await isShared()).toBe(true);
    await chmod(program, 0o700);
    expect(await isShared()).toBe(false);
    await chmod(program, 0o777);
    expect(await isShared()).toBe(false);
    if (process.geteuid?.() !== 0) return;
    await chmod(program, 0o755);
    await chown(program, 54_321, 54_321);
    expect(await isShared()).toBe(false);
  });

  it("is refused if another account could have changed a program", async () => {
    const copy = join(await stage(), "postgres");
    await rm(copy);
    await writeFile(copy, "other");
    await chmod(copy, 0o777);
    await expect(stage()).rejects.toThrow(`${copy} cannot be trusted: other accounts can write to it`);
  });
});
