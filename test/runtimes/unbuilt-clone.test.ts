import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageFolders } from "../../scripts/packages.mjs";
import { linkDependencies } from "../packages/link-dependencies.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

describe("npm pack in a clone that was never built", () => {
  let clone = "";
  beforeAll(async () => {
    clone = await realpath(await mkdtemp(join(tmpdir(), "mgmt-clone-")));
    await run("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, clone]);
    await linkDependencies(clone);
  }, 300_000);
  afterAll(() => rm(clone, { recursive: true, force: true }));

  it("builds the packages first, so that each tarball has its code and its declarations", async () => {
    const destination = await mkdtemp(join(clone, "packed-"));
    const { stdout } = await run(
      "npm",
      ["pack", "--workspaces", "--json", "--silent", "--pack-destination", destination],
      { cwd: clone, maxBuffer: 2 ** 26 },
    );
    const packed: { name: string; files: { path: string }[] }[] = JSON.parse(stdout);
    const has = (name: string, path: string): boolean =>
      packed.some((each) => each.name === `@mgmt/${name}` && each.files.some((file) => file.path === path));
    const expected = packageFolders.flatMap((name) =>
      name === "cli"
        ? [[name, "dist/mgmt.js"]]
        : [
            [name, "dist/index.js"],
            [name, "dist/index.d.ts"],
          ],
    );
    expect(expected.filter(([name = "", path = ""]) => !has(name, path))).toEqual([]);
  }, 900_000);
});
