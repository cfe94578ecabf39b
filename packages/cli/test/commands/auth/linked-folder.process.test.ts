import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Result } from "../../result.js";
import { file, folder, inFolder, useFolder } from "./linkable-folder.js";

useFolder();

describe("a link that another account may have written", () => {
  const statusOf = async (): Promise<Result> => inFolder("auth status -o json", {}, "below");

  it.skipIf(process.platform === "win32").each([
    ["a named pipe", () => void execFileSync("mkfifo", [file])],
    ["a symbolic link to a device", () => symlinkSync("/dev/zero", file)],
    ["a symbolic link to a link file", () => symlinkSync(join(folder, "other.json"), file)],
  ])("is refused if it is %s", async (_, make) => {
    mkdirSync(join(folder, ".mgmt"));
    writeFileSync(join(folder, "other.json"), '{"projectId":"proj_a"}');
    make();
    const { status, stderr } = await statusOf();
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("link:unreadable") });
  });
});
