import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exitCodeMeanings, planExitCodesText } from "./exit-code-meanings.js";
import { determineExitCode } from "./exit-codes.js";
import { runInProcess } from "../../test/in-process.js";

const guides = new URL("../../../../docs/guides/", import.meta.url);
const readGuide = (name: string): string => readFileSync(new URL(name, guides), "utf8");

describe("an exit code", () => {
  it("has the same meaning in the guide and in the help topic", async () => {
    const table = [...readGuide("command-line.md").matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map(
      ([, code, text]) => [Number(code), text],
    );
    expect(table).toEqual(exitCodeMeanings);
    const { stdout } = await runInProcess(["help", "exit-codes"]);
    for (const [code, meaning] of exitCodeMeanings)
      expect(stdout).toMatch(new RegExp(`^  ${code} +${meaning}$`, "m"));
  });

  it.each(["ci.md", "manifests.md"])("of a plan is the same in the help and in %s", async (name) => {
    expect(readGuide(name)).toContain(`exits with ${planExitCodesText}`);
    const { stdout } = await runInProcess(["plan", "--help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(`exit with ${planExitCodesText}`);
  });

  it("has a meaning wherever a guide names it", () => {
    const codes = exitCodeMeanings.map(([code]) => code);
    const named = readdirSync(guides)
      .filter((name) => name.endsWith(".md"))
      .flatMap((name) => [...readGuide(name).matchAll(/\bexits? (?:code |with )(\d+)/g)])
      .map(([, code]) => Number(code));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((code) => !codes.some((known) => known === code))).toEqual([]);
  });

  it.each([
    [400, 7],
    [401, 4],
    [403, 5],
    [404, 6],
    [405, 7],
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
    expect(determineExitCode({ status, code: "unknown:code" })).toBe(expected);
  });

  it.each([
    [{ status: 403, code: "approval_required" }, 8],
    [{ status: 403, code: "approval:denied" }, 5],
    [{ code: "auth:state_mismatch" }, 4],
    [{ code: "auth:issuer_mismatch" }, 4],
    [{ code: "auth:callback_invalid" }, 2],
  ])("is chosen by a known code: %j", (error, expected) => {
    expect(determineExitCode(error)).toBe(expected);
  });
});
