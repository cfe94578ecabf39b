import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exitCodes } from "../../src/errors/exit-codes.js";
import { bin, ensureBuilt } from "../bin.js";
import { temporaryFolder } from "../folders.js";

const folder = temporaryFolder();
const exhaust = join(folder, "exhaust.cjs");

beforeAll(async () => {
  await ensureBuilt();
  // Opens files up to the limit, and leaves FREE_FILES for the command.
  writeFileSync(
    exhaust,
    `const { openSync, closeSync } = require("node:fs");
     const open = [];
     try { for (;;) open.push(openSync(__filename)); } catch {}
     for (const file of open.slice(0, Number(process.env.FREE_FILES))) closeSync(file);`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = async (free: number, words: readonly string[]): Promise<{ status: number; stderr: string }> => {
  const command = [process.execPath, "--require", exhaust, bin, ...words];
  const child = spawn("sh", ["-c", 'ulimit -n 128; exec "$@"', "sh", ...command], {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      FREE_FILES: String(free),
      // Nothing listens there, so that a request fails at once.
      MGMT_BASE_URL: "http://127.0.0.1:9",
      MGMT_TOKEN: "token",
    },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.resume();
  const [status] = (await once(child, "close")) as [number];
  return { status, stderr };
};

describe.skipIf(process.platform === "win32")("a command that reaches the limit of open files", () => {
  // Without one, Node.js cannot read the command.
  it.each([1, 2])("ends with an error, a code and a hint with %i left", async (free) => {
    const { status, stderr } = await run(free, ["projects", "list"]);
    expect(stderr).toMatch(/^error: .+ \((system:open_files_limit|connection:failed)\)\nhint: .+\n$/m);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect([exitCodes.failure, exitCodes.network]).toContain(status);
  });

  it("prints the error as JSON with --output json", async () => {
    const { stderr } = await run(1, ["projects", "list", "--output", "json"]);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "system:open_files_limit",
        message: "The system cannot open another file (EMFILE)",
        hint: expect.stringContaining("ulimit -n 256"),
        next: expect.arrayContaining([["mgmt", "--help"]]),
      },
    });
  });
});
