import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { programExists } from "./program-exists.js";
import { temporaryFolder } from "../../test/folders.js";

const cwd = temporaryFolder();
mkdirSync(join(cwd, "bin"));
writeFileSync(join(cwd, "bin/tool"), "");
writeFileSync(join(cwd, "script"), "");
writeFileSync(join(cwd, "file"), "");

it.each([
  ["tool", join(cwd, "bin"), true],
  ["tool", `/nowhere${delimiter}${join(cwd, "bin")}`, true],
  ["tool", "bin", true],
  ["tool", "/nowhere", false],
  ["tool", undefined, false],
  // Not a folder, which the system refuses to enter.
  ["tool", `${join(cwd, "file")}${delimiter}bin`, true],
  ["tool", join(cwd, "file"), false],
  // An empty part of PATH is the working directory.
  ["script", "", true],
  ["./script", join(cwd, "bin"), true],
  ["bin/tool", "", true],
  ["./tool", join(cwd, "bin"), false],
  [join(cwd, "bin/tool"), "", true],
])("the program %s with the PATH %s exists: %s", (program, PATH, exists) => {
  expect(programExists(program, { cwd, env: { PATH } })).toBe(exists);
});
