import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exitCodeHelp, exitCodeOf, exitCodes } from "../../src/errors/exit-codes.js";
import { runInProcess } from "../in-process.js";

const guide = readFileSync(new URL("../../../../docs/guides/command-line.md", import.meta.url), "utf8");

describe("an exit code", () => {
  it("has the same meaning in the guide and in the help topic", async () => {
    const table = [...guide.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map(([, code, text]) => [
      Number(code),
      text,
    ]);
    expect(table).toEqual(exitCodeHelp);
    const { stdout } = await runInProcess(["help", "exit-codes"]);
    for (const [code, meaning] of exitCodeHelp)
      expect(stdout).toMatch(new RegExp(`^  ${code} +${meaning}$`, "m"));
    expect(exitCodeHelp.map(([code]) => code)).toEqual(Object.values(exitCodes));
  });

  it.each([
    [400, 7],
    [401, 4],
    [403, 5],
    [404, 6],
    [405, 1],
    [408, 8],
    [409, 7],
    [413, 7],
    [415, 7],
    [418, 7],
    [422, 7],
    [429, 9],
    [500, 1],
    [502, 9],
    [503, 9],
    [504, 9],
    [302, 1],
  ])("is chosen by status %i with an unknown error code: %i", (status, expected) => {
    expect(exitCodeOf({ status, code: "unknown:code" })).toBe(expected);
  });

  it("is 8 for a required approval, and 5 for a denied one", () => {
    expect(exitCodeOf({ status: 403, code: "approval_required" })).toBe(8);
    expect(exitCodeOf({ status: 403, code: "approval:denied" })).toBe(5);
  });
});
