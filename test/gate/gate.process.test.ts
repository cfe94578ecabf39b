import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fullParts } from "../../scripts/gate/stages.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "gate-test-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Run {
  readonly status: number | null;
  readonly lines: string[];
  readonly flaky: string;
}

/** Runs the gate with test files that fail as asked, and a stage of a shell command. */
const runGate = async (
  fault: string,
  {
    files = ["one"],
    shell = "true",
    ending = "",
  }: { files?: string[]; shell?: string; ending?: string } = {},
): Promise<Run> => {
  const folder = mkdtempSync(join(base, "run-"));
  const flakyRecord = join(folder, "flaky.jsonl");
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "test/gate/run-fixture.ts", flakyRecord, shell, ...files],
    {
      cwd: root,
      env: {
        ...process.env,
        GATE_FIXTURE_FAULT: fault,
        GATE_FIXTURE_FOLDER: folder,
        GATE_FIXTURE_ENDING: ending,
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const flaky = existsSync(flakyRecord) ? readFileSync(flakyRecord, "utf8") : "";
  return { status, lines: output.trimEnd().split("\n"), flaky };
};

const file = "test/gate/fixture/one.fixture.ts";

describe.concurrent("the gate", () => {
  it("passes when all stages pass", async ({ expect }) => {
    const { status, lines, flaky } = await runGate("none");
    expect({ status, flaky, last: lines.at(-1) }).toEqual({
      status: 0,
      flaky: "",
      last: "2 passed, 0 failed",
    });
    expect(lines.join("\n")).not.toMatch(/FLAKY|FAIL/);
  });

  it("passes when a file that failed passes alone, and reports it as flaky", async ({ expect }) => {
    const { status, lines, flaky } = await runGate("once");
    expect(lines.slice(0, 20)).toContainEqual(
      expect.stringMatching(`^FLAKY +${file} · has a fault · expected true to be false`),
    );
    expect({ status, last: lines.at(-1) }).toEqual({ status: 0, last: "2 passed, 0 failed" });
    expect(JSON.parse(flaky)).toMatchObject({ stage: "tests", file });
  });

  it("fails when a test fails every time, and names it first", async ({ expect }) => {
    const { status, lines } = await runGate("always");
    expect(lines.slice(0, 20)).toContainEqual(
      expect.stringMatching(`^FAILED ${file} · has a fault · expected true to be false`),
    );
    expect(lines.slice(0, 20)).toContain("FAILED stage tests (1)");
    expect({ status, last: lines.at(-1) }).toEqual({ status: 1, last: "1 passed, 1 failed" });
  });

  it("fails when nobody handles a rejection, and names the file", async ({ expect }) => {
    const { status, lines } = await runGate("unhandled");
    expect(lines.slice(0, 20)).toContain(`FAILED ${file} · unhandled Error: nobody handles this`);
    expect(status).toBe(1);
  });

  it("fails when more files fail than chance explains", async ({ expect }) => {
    const { status, lines } = await runGate("once", { files: ["one", "two", "three", "four"] });
    expect(lines.filter((line) => line.startsWith("FAILED test/gate/fixture/"))).toHaveLength(4);
    expect(status).toBe(1);
  });

  it("fails when Vitest does not come to its end", async ({ expect }) => {
    const { status, lines } = await runGate("killed");
    expect(lines.slice(0, 20)).toContainEqual(expect.stringMatching(/^FAILED stage tests/));
    expect(status).toBe(1);
  });

  it.for(["SIGKILL", "3"])(
    "fails when tests failed once, and their stage ended by %s",
    async (ending, { expect }) => {
      const { status, lines, flaky } = await runGate("once", { ending });
      expect(lines.slice(0, 20)).toContainEqual(expect.stringMatching(`^FAILED ${file} · has a fault`));
      expect(lines.slice(0, 20)).toContain(`FAILED stage tests (${ending})`);
      expect({ status, flaky, last: lines.at(-1) }).toEqual({
        status: 1,
        flaky: "",
        last: "1 passed, 1 failed",
      });
    },
  );

  it.for([
    ["kill -KILL $$", "SIGKILL"],
    ["exit 3", "3"],
  ])("fails when a stage ends so: %s", async ([shell = "", ending = ""], { expect }) => {
    const { status, lines } = await runGate("none", { shell, files: [] });
    expect(lines.slice(0, 20)).toContain(`FAILED stage shell (${ending})`);
    expect({ status, last: lines.at(-1) }).toEqual({ status: 1, last: "0 passed, 1 failed" });
  });
});

describe("the weekly workflow", () => {
  it("runs every part that is not part of the gate", () => {
    const workflow: { jobs: { full: { strategy: { matrix: { part: string[] } } } } } = parse(
      readFileSync(join(root, ".github/workflows/full.yml"), "utf8"),
    );
    expect(workflow.jobs.full.strategy.matrix.part).toEqual(fullParts.map(({ name }) => name));
  });
});
