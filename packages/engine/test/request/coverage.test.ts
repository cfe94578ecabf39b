import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { environmentRecorder } from "../../src/request/coverage.js";

afterEach(() => void vi.unstubAllEnvs());

it("appends each response to the file in MGMT_COVERAGE_FILE, once", () => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-coverage-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "coverage.txt");
  vi.stubEnv("MGMT_COVERAGE_FILE", file);
  const record = environmentRecorder();
  record?.("projects.get", 200, null);
  record?.("projects.get", 404, "project:not_found");
  record?.("projects.get", 200, null);
  expect(readFileSync(file, "utf8")).toBe("projects.get 200 -\nprojects.get 404 project:not_found\n");
});

it.each([undefined, ""])("records nothing when MGMT_COVERAGE_FILE is %j", (file) => {
  vi.stubEnv("MGMT_COVERAGE_FILE", file);
  expect(environmentRecorder()).toBeUndefined();
});
