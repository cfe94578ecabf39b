import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";

const root = temporaryFolder();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "unlink-"));
  mkdirSync(join(folder, "app", "deep"), { recursive: true });
});

const link = (path: string): void => {
  mkdirSync(join(folder, path, ".mgmt"));
  writeFileSync(join(folder, path, ".mgmt/link.json"), "{}");
};
const unlink = (path = "app/deep") => runInProcess(["unlink"], { cwd: join(folder, path) });

describe("mgmt unlink", () => {
  it("deletes the nearest link alone, and its folder if that is empty then", async () => {
    link("");
    link("app");
    writeFileSync(join(folder, ".mgmt/other"), "");
    expect(await unlink()).toMatchObject({ status: 0, stderr: expect.stringContaining("Deleted") });
    expect([existsSync(join(folder, "app/.mgmt")), existsSync(join(folder, ".mgmt/link.json"))]).toEqual([
      false,
      true,
    ]);
    await unlink();
    expect([existsSync(join(folder, ".mgmt/link.json")), existsSync(join(folder, ".mgmt/other"))]).toEqual([
      false,
      true,
    ]);
  });

  it("deletes a link that no command uses", async () => {
    link("app");
    writeFileSync(join(folder, "app/.mgmt/link.json"), "no JSON");
    expect((await unlink()).status).toBe(0);
    expect(existsSync(join(folder, "app/.mgmt"))).toBe(false);
    expect(await unlink()).toMatchObject({ status: 0, stderr: "This folder is not linked.\n" });
  });

  it("deletes a symbolic link, and nothing that it leads to", async () => {
    link("");
    symlinkSync(join(folder, ".mgmt"), join(folder, "app/.mgmt"));
    expect((await unlink()).status).toBe(0);
    expect([existsSync(join(folder, "app/.mgmt")), existsSync(join(folder, ".mgmt/link.json"))]).toEqual([
      false,
      true,
    ]);
  });
});
