import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { MemoryServer } from "@mgmt/engine";
import { createEnvironmentRecorder } from "../../src/request/coverage.js";

afterEach(() => void vi.unstubAllEnvs());

/** Returns the path of a new file in MGMT_COVERAGE_FILE. */
const coverageFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-coverage-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "coverage.txt");
  vi.stubEnv("MGMT_COVERAGE_FILE", file);
  return file;
};

it("appends each response to the file in MGMT_COVERAGE_FILE, once", () => {
  const file = coverageFile();
  const record = createEnvironmentRecorder();
  record?.("projects.get", 200, null);
  record?.("projects.get", 404, "project:not_found");
  record?.("projects.get", 200, null);
  expect(readFileSync(file, "utf8")).toBe("projects.get 200 -\nprojects.get 404 project:not_found\n");
});

it.each([undefined, ""])("records nothing when MGMT_COVERAGE_FILE is %j", (file) => {
  vi.stubEnv("MGMT_COVERAGE_FILE", file);
  expect(createEnvironmentRecorder()).toBeUndefined();
});

it("records what the contract has, but no response that is due to the settings", async () => {
  const file = coverageFile();
  const engine = new MemoryServer({ settings: { approvals: { operations: ["projects.update"] } } });
  const { id } = await engine.seed.project();
  const headers = {
    authorization: `Bearer ${await engine.tokens.agent()}`,
    "content-type": "application/json",
  };
  await engine.handle({ method: "GET", path: `/v1/projects/${id}`, headers });
  const { status } = await engine.handle({
    method: "PATCH",
    path: `/v1/projects/${id}`,
    headers,
    body: '{"name":"shop"}',
  });
  expect(status).toBe(403);
  await engine.handle({ method: "GET", path: "/v1/projects/proj_none", headers });
  expect(readFileSync(file, "utf8")).toBe("projects.get 200 -\nprojects.get 404 project:not_found\n");
});
