import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isProgram, listProgramFolders, buildPathVariables } from "./program-files.js";
import { expandVersionPattern } from "./default-directories.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-programs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.skipIf(process.platform === "win32")("the folders of programs", () => {
  it.each([
    ["without PATH", undefined, ["/usr/bin", "/bin"]],
    ["with an empty PATH", "", []],
    ["in their order", "/b:/a", ["/b", "/a"]],
    ["without those relative to the working directory", `/a:bin:.:./x::/b`, ["/a", "/b"]],
  ])("are found %s", (_, path, folders) => {
    expect(listProgramFolders(path === undefined ? {} : { PATH: path })).toEqual(folders);
  });

  it.each([
    ["the absolute ones", "/a::bin", "/a"],
    ["the usual ones if none is absolute", ".:bin", ["/usr/bin", "/bin"].join(delimiter)],
    ["the usual ones if it is empty", "", ["/usr/bin", "/bin"].join(delimiter)],
  ])("make a PATH of %s", (_, path, expected) => {
    expect(buildPathVariables({ PATH: path })).toEqual({ PATH: expected });
  });
});

describe.skipIf(process.platform === "win32")("isProgram", () => {
  it("is true only for a file that can be run", () => {
    const file = join(folder, "psql");
    writeFileSync(file, "", { mode: 0o600 });
    expect([isProgram(file), isProgram(folder), isProgram(join(folder, "none"))]).toEqual([
      false,
      false,
      false,
    ]);
    chmodSync(file, 0o700);
    expect(isProgram(file)).toBe(true);
  });
});

describe("expandVersionPattern", () => {
  it("returns the directories that match, the newest version first", async () => {
    for (const name of ["pg-9/bin", "pg-16/bin", "pg-17/bin", "other-18/bin"]) {
      mkdirSync(join(folder, name), { recursive: true });
    }
    expect(await expandVersionPattern(`${folder}/pg-*/bin`)).toEqual([
      `${folder}/pg-17/bin`,
      `${folder}/pg-16/bin`,
      `${folder}/pg-9/bin`,
    ]);
    expect(await expandVersionPattern(`${folder}/*-16`)).toEqual([`${folder}/pg-16`]);
  });

  it("returns none where the folder is missing", async () => {
    expect(await expandVersionPattern(`${folder}/none/*/bin`)).toEqual([]);
  });
});
