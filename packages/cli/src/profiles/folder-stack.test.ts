import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findFolderStack, getDataIdPath, getStackDataFolder } from "./folder-stack.js";
import { temporaryFolder } from "../../test/folders.js";

const root = realpathSync(temporaryFolder());
let base: string;
beforeEach(() => {
  base = mkdtempSync(join(root, "stack-"));
});

/** Makes folders, and the data of the stacks in them. */
const make = (...paths: string[]): void => {
  for (const path of paths) mkdirSync(join(base, path), { recursive: true });
};

const find = (cwd: string, folders: Readonly<Record<string, string>>): string | undefined => {
  const profiles = Object.fromEntries(
    Object.entries(folders).map(([name, folder]) => [
      name,
      { baseUrl: "http://127.0.0.1", folder: join(base, folder) },
    ]),
  );
  return findFolderStack(
    { profiles: { ...profiles, local: { baseUrl: "http://127.0.0.1" } } },
    join(base, cwd),
  )?.profileName;
};

describe("findFolderStack", () => {
  it.each([
    ["in its folder", "main", "main"],
    ["in a subfolder", "main/packages/api", "main"],
    ["in a worktree inside of the clone, its own", "main/.worktrees/cart", "cart"],
    ["in another worktree inside of it, none", "main/.worktrees/login/src", undefined],
    ["in a folder whose name starts with the same", "main-2", undefined],
    ["above its folder", ".", undefined],
  ])("finds the profile %s", (_, cwd, expected) => {
    make(
      ".mgmt",
      "main/.git",
      "main/packages/api",
      "main-2",
      "main/.worktrees/cart",
      "main/.worktrees/login/src",
    );
    for (const name of ["cart", "login"])
      writeFileSync(join(base, `main/.worktrees/${name}/.git`), "gitdir: ../../.git/worktrees/x\n");
    for (const folder of ["main", "main/.worktrees/cart"]) make(getStackDataFolder(folder));
    expect(find(cwd, { main: "main", cart: "main/.worktrees/cart" })).toBe(expected);
  });

  it("finds the nearest", () => {
    make("main/app/src", getStackDataFolder("main"), getStackDataFolder("main/app"));
    expect(find("main/app/src", { outer: "main", inner: "main/app" })).toBe("inner");
  });

  it("finds it through a symbolic link, as a shell with a logical path has it", () => {
    make("main/src", getStackDataFolder("main"));
    symlinkSync(join(base, "main"), join(base, "alias"));
    expect(find("alias/src", { main: "main" })).toBe("main");
  });

  it("finds none whose data was removed, or in a folder that does not exist", () => {
    make(getStackDataFolder("main"));
    expect(find("missing", { main: "main" })).toBeUndefined();
    rmSync(join(base, "main"), { recursive: true });
    make("main");
    expect(find("main", { main: "main" })).toBeUndefined();
  });

  it("passes by a folder whose data cannot be looked for", () => {
    make("main/app", getStackDataFolder("main"));
    // Not a folder, which the system refuses to enter.
    writeFileSync(join(base, "main/app/.mgmt"), "");
    expect(find("main/app", { outer: "main", inner: "main/app" })).toBe("outer");
  });

  describe("of data that was moved", () => {
    const findById = (cwd: string, dataId: string): ReturnType<typeof findFolderStack> =>
      findFolderStack(
        { profiles: { main: { baseUrl: "http://127.0.0.1", folder: join(base, "main"), dataId } } },
        join(base, cwd),
      );
    const makeData = (folder: string, dataId: string): void => {
      make(`${folder}/src`, getStackDataFolder(folder));
      writeFileSync(join(base, getDataIdPath(getStackDataFolder(folder))), `${dataId}\n`);
    };

    it("is the profile of its id, with the folder where the data is now", () => {
      makeData("moved", "id");
      expect(findById("moved/src", "id")).toEqual({ profileName: "main", folder: join(base, "moved") });
    });

    it.each([
      ["another id", "other"],
      ["no id", ""],
    ])("is none if the data has %s", (_, dataId) => {
      makeData("moved", dataId);
      expect(findById("moved", "id")).toBeUndefined();
    });

    it("is none for a copy, whose original is in its folder", () => {
      makeData("main", "id");
      makeData("copy", "id");
      expect(findById("copy", "id")).toBeUndefined();
      expect(findById("main", "id")?.folder).toBe(join(base, "main"));
    });

    it("is none if the id is not in a file", () => {
      make("moved", getDataIdPath(getStackDataFolder("moved")));
      expect(findById("moved", "id")).toBeUndefined();
    });
  });

  it("does not read what the folder says about itself", () => {
    make(getStackDataFolder("main"));
    writeFileSync(join(base, getStackDataFolder("main"), "platform.json"), '{"port":1}');
    expect(find("main", {})).toBeUndefined();
  });
});
