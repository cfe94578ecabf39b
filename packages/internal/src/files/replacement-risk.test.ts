import { chmod, chown, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findReplacementRisk } from "./replacement-risk.js";

let folder: string;
let shared: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "mgmt-risk-")));
  shared = join(folder, "shared");
  await mkdir(join(folder, "own", "data"), { recursive: true });
  await mkdir(join(shared, "data"), { recursive: true });
  await chmod(shared, 0o777);
});
afterEach(() => rm(folder, { recursive: true }));

describe.skipIf(process.platform === "win32")("another account", () => {
  it.each(["own/data", "own/data/new/file", "shared/../own", "own/./data//", ""])(
    "cannot replace %s",
    async (path) => {
      expect(await findReplacementRisk(join(folder, "/") + path)).toBe(
        path.startsWith("shared") ? `other accounts can write to ${shared}` : undefined,
      );
    },
  );

  it("can replace what is below a directory that it can write to, also through links", async () => {
    const risk = `other accounts can write to ${shared}`;
    expect(await findReplacementRisk(join(shared, "data"))).toBe(risk);
    await symlink("../shared/data", join(folder, "own", "relative"));
    await symlink(join(shared, "data"), join(folder, "own", "absolute"));
    await symlink("own/absolute", join(folder, "twice"));
    for (const path of ["own/relative", "own/absolute/file", "twice"])
      expect(await findReplacementRisk(join(folder, path))).toBe(risk);
    await symlink("data", join(folder, "own", "inside"));
    expect(await findReplacementRisk(join(folder, "own", "inside"))).toBeUndefined();
  });

  it("can replace what is below a directory that a group with other members can write to", async () => {
    await chmod(shared, 0o770);
    expect(await findReplacementRisk(join(shared, "data"))).toBeUndefined();
    if (process.geteuid?.() !== 0) return;
    await chown(shared, 0, 54_321);
    expect(await findReplacementRisk(join(shared, "data"))).toBe(`other accounts can write to ${shared}`);
  });

  it("can replace nothing in a sticky directory, and no file that it can write to by its path", async () => {
    await chmod(shared, 0o1777);
    const file = join(shared, "file");
    await writeFile(file, "");
    await chmod(file, 0o666);
    expect(await findReplacementRisk(file)).toBeUndefined();
  });

  it.runIf(process.geteuid?.() === 0).each([54_321, 65_534])(
    "can replace what is below a directory of its own: uid %i",
    async (uid) => {
      const foreign = join(folder, "own");
      await chown(foreign, uid, 0);
      expect(await findReplacementRisk(join(foreign, "data"))).toBe(`${foreign} belongs to another account`);
    },
  );

  it("is no risk on a path whose links lead in a circle, which cannot be opened", async () => {
    await symlink("b", join(folder, "a"));
    await symlink("a", join(folder, "b"));
    expect(await findReplacementRisk(join(folder, "a", "data"))).toBeUndefined();
  });
});
