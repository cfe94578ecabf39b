import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fullParts } from "../../../scripts/gate/stages.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "gate-test-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Faults {
  /** By the name of a test file. */
  readonly files: Readonly<Record<string, "once" | "always" | "unhandled">>;
  /** The second stage. */
  readonly shell?: string;
  /** Whether Vitest is killed after its tests. */
  readonly isKilled?: boolean;
}

/** Runs the gate with a stage of test files and a stage of a shell command. Returns what it prints that is not a log. */
const runGate = async ({ files, shell = "true", isKilled = false }: Faults) => {
  const folder = mkdtempSync(join(base, "run-"));
  const flakyRecord = join(folder, "flaky.jsonl");
  const words = ["test/architecture/gate/run-fixture.ts", flakyRecord, shell, ...Object.keys(files)];
  const child = spawn(process.execPath, ["--import", "tsx", ...words], {
    cwd: root,
    env: {
      ...process.env,
      GATE_FIXTURE_FAULTS: JSON.stringify(files),
      GATE_FIXTURE_FOLDER: folder,
      GATE_FIXTURE_KILLED: isKilled ? "true" : "",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const status = new Promise<number | null>((resolve) => child.once("close", resolve));
  const lines = (await text(child.stdout)).trimEnd().split("\n");
  return {
    status: await status,
    verdicts: lines.slice(0, 20).filter((line) => /^(?:FLAKY|FAILED) /.test(line)),
    last: lines.at(-1),
    flaky: existsSync(flakyRecord) ? readFileSync(flakyRecord, "utf8") : "",
  };
};

const fileOf = (name: string): string => `test/architecture/gate/fixture/${name}.fixture.ts`;
const verdict = (mark: "FLAKY " | "FAILED", name: string): string =>
  `${mark} ${fileOf(name)} · has a fault · expected true to be false // Object.is equality`;

describe.concurrent("the gate", () => {
  it("names a file that fails, one with an unhandled error, a flaky one, and a stage that was killed", async ({
    expect,
  }) => {
    const { status, verdicts, last, flaky } = await runGate({
      files: { one: "once", two: "always", three: "unhandled" },
      shell: "kill -KILL $$",
    });
    expect(verdicts.sort()).toEqual([
      "FAILED stage shell (SIGKILL)",
      "FAILED stage tests (1)",
      `FAILED ${fileOf("three")} · unhandled Error: nobody handles this`,
      verdict("FAILED", "two"),
      verdict("FLAKY ", "one"),
    ]);
    expect(JSON.parse(flaky)).toMatchObject({ stage: "tests", file: fileOf("one") });
    expect({ status, last }).toEqual({ status: 1, last: "1 passed, 3 failed" });
  });

  it("passes when the only file that failed passes alone", async ({ expect }) => {
    const { status, verdicts, last } = await runGate({ files: { one: "once" } });
    expect({ status, verdicts, last }).toEqual({
      status: 0,
      verdicts: [verdict("FLAKY ", "one")],
      last: "2 passed, 0 failed",
    });
  });

  it("fails when Vitest ended by a signal after its tests", async ({ expect }) => {
    const { status, verdicts, flaky } = await runGate({ files: { one: "once" }, isKilled: true });
    expect({ status, flaky }).toEqual({ status: 1, flaky: "" });
    expect(verdicts.at(-1)).toBe("FAILED stage tests (SIGKILL)");
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
