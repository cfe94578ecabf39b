import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findCli } from "./find-cli.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-find-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const write = (name: string, mode = 0o755): string => {
  const file = join(folder, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
};
const byNode = (file: string) => ({ file: process.execPath, args: [file] });

describe("the program that is passed", () => {
  it("is run by Node.js if it is a script, and by itself otherwise", () => {
    for (const name of ["mgmt.js", "mgmt.cjs", "mgmt.mjs"])
      expect(findCli(write(name))).toEqual(byNode(join(folder, name)));
    for (const name of ["mgmt", "mgmtjs", "mgmt.js.exe"])
      expect(findCli(write(name))).toEqual({ file: join(folder, name), args: [] });
  });

  it.each(["", "mgmt", "package.json", "./package.json", "/none/mgmt"])(
    "must be the absolute path of a file: %j",
    (program) => {
      expect(() => findCli(program)).toThrow(
        expect.objectContaining({
          code: "auth:cli_failed",
          message: "program is not the absolute path of a file",
        }),
      );
    },
  );

  it("may be a link that leads nowhere, which the system reports", () => {
    const link = join(folder, "mgmt");
    symlinkSync("/none/mgmt", link);
    expect(findCli(link).file).toBe(link);
  });
});
