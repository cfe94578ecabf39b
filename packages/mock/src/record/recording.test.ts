import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readRecording, type Recording, writeRecording } from "./recording.js";

const folder = mkdtempSync(join(tmpdir(), "mgmt-recording-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "recording.json");

const recording: Recording = {
  format: "mgmt-recording",
  version: 1,
  upstream: "https://x.test",
  recordedAt: "2026-11-28T12:00:00.000Z",
  seeds: [],
  exchanges: [],
};

describe("a file with a recording", () => {
  it("is read as it was written, by its owner only", async () => {
    writeFileSync(path, "older", { mode: 0o644 });
    await writeRecording(path, recording);
    expect(await readRecording(path)).toEqual(recording);
    expect(readdirSync(folder)).toEqual(["recording.json"]);
    if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["null", null, "it is not a recording"],
    ["another format", { ...recording, format: "har" }, "it is not a recording"],
    ["another version", { ...recording, version: 2 }, "its version is 2, and this one reads 1"],
    ["no exchanges", { ...recording, exchanges: undefined }, "it has no exchanges or no seeds"],
    ["no seeds", { ...recording, seeds: {} }, "it has no exchanges or no seeds"],
  ])("is refused with %s", async (_, value, problem) => {
    writeFileSync(path, JSON.stringify(value));
    await expect(readRecording(path)).rejects.toMatchObject({
      code: "mock:bad_recording",
      message: expect.stringContaining(problem),
    });
  });

  it("is refused when it was truncated", async () => {
    writeFileSync(path, JSON.stringify(recording).slice(0, -1));
    await expect(readRecording(path)).rejects.toThrow("it is not complete JSON");
  });
});
