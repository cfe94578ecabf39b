import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
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

  it("can replace nothing in a sticky directory, and no file that it can write to by its path", async () => {
    await chmod(shared, 0o1777);
    const file = join(shared, "file");
    await writeFile(file, "");
    await chmod(file, 0o666);
    expect(await findReplacementRisk(file)).toBeUndefined();
  });

  it("is no risk on a path whose links lead in a circle, which cannot be opened", async () => {
    await symlink("b", join(folder, "a"));
    await symlink("a", join(folder, "b"));
    expect(await findReplacementRisk(join(folder, "a", "data"))).toBeUndefined();
  });
});
