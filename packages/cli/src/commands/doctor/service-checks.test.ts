import document from "@mgmt/sdk/openapi.json";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkClock } from "./service-checks.js";
import { startCannedServer } from "../../../test/canned-server.js";
import { checksOf } from "../../../test/commands/doctor/checks.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import { createSettingsFolder } from "../../../test/profiles/settings-folder.js";
import type { Result } from "../../../test/result.js";

const folder = temporaryFolder();

describe("mgmt doctor without a working service", () => {
  let close: (() => void) | undefined;
  beforeEach(() => (close = undefined));
  afterEach(() => close?.());

  const against = async (
    respond: Parameters<typeof startCannedServer>[0],
    ...flags: string[]
  ): Promise<Result> => {
    const canned = await startCannedServer(respond);
    close = canned.close;
    return runInProcess(["doctor", "-o", "json", ...flags], { env: canned.env, cwd: folder });
  };

  it("names mgmt dev if no address is set", async () => {
    const result = await runInProcess(["doctor", "-o", "json"], { cwd: folder });
    expect(result.status).toBe(1);
    expect(checksOf(result)["address"]).toMatchObject({ status: "failure", next: [["mgmt", "dev"]] });
  });

  it("reports an address that is not one without repeating its password", async () => {
    const env = { MGMT_BASE_URL: "https://user:CANARY@api.test", MGMT_TOKEN: "t" };
    const result = await runInProcess(["doctor", "-o", "json"], { env, cwd: folder });
    expect(result.status).toBe(1);
    expect(checksOf(result)["address"]).toMatchObject({ status: "failure" });
    expect(result.stdout + result.stderr).not.toContain("CANARY");
  });

  it("reports a service that does not listen", async () => {
    const env = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "t" };
    const result = await runInProcess(["doctor", "-o", "json"], { env, cwd: folder });
    expect(result.status).toBe(1);
    const checks = checksOf(result);
    expect(checks["service"]).toMatchObject({ status: "failure", next: [["mgmt", "dev"]] });
    expect(checks["credential"]).toBeUndefined();
  });

  it("names the command that starts a mgmt dev that has stopped", async () => {
    const stopped = { baseUrl: "http://127.0.0.1:1", controlUrl: "http://127.0.0.1:1/_control", token: "t" };
    const profiles = { local: stopped };
    const { cwd, env } = createSettingsFolder(folder, { profiles, active: "local" });
    const result = await runInProcess(["doctor", "-o", "json"], { env, cwd });
    expect(result.status).toBe(1);
    expect(checksOf(result)["service"]).toMatchObject({
      status: "failure",
      message: expect.stringMatching(/^The mgmt dev of profile local is not running at .*dev:not_running/),
      next: [["mgmt", "dev"]],
    });
  });

  it.each([
    ["HTML", { body: "<html>" }, "failure"],
    ["an error", { status: 500, body: { error: { code: "internal:error", message: "No" } } }, "failure"],
    ["a missing path", { status: 404, body: "no" }, "ok"],
  ])("reports a service that responds with %s", async (_, response, status) => {
    const result = await against(() => response);
    expect(result.status).toBe(1);
    expect(checksOf(result)["service"]).toMatchObject({ status });
  });

  it("warns about operations that the service lacks, and about those that this version lacks", async () => {
    const { "/v1/projects": projects, ...rest } = document.paths;
    const older = await against(({ url }) => ({ body: url === "/v1/doc" ? { paths: rest } : { data: {} } }));
    expect(checksOf(older)["contract"]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("lacks 2 operations: GET /v1/projects, POST /v1/projects"),
    });
    close?.();
    const paths = { ...rest, "/v1/projects": projects, "/v1/queues": { get: {} } };
    const newer = await against(({ url }) => ({ body: url === "/v1/doc" ? { paths } : { data: {} } }));
    expect(checksOf(newer)["contract"]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("1 operation: GET /v1/queues"),
      next: [["mgmt", "api", "--help"]],
    });
  });
});

describe("the checks of mgmt doctor", () => {
  it.each([
    ["Sun, 22 Nov 2026 10:00:00 GMT", "ok"],
    ["Sun, 22 Nov 2026 10:03:00 GMT", "warning"],
    ["Sun, 22 Nov 2026 09:57:00 GMT", "warning"],
    [undefined, "skipped"],
    ["yesterday", "skipped"],
    ["-1", "skipped"],
  ])("compare this clock with the service's: %s", (date, status) => {
    expect(checkClock(date, Date.parse("2026-11-22T10:00:00.400Z"), 300).status).toBe(status);
  });

  it("tolerate the time that a slow response takes", () => {
    expect(
      checkClock("Sun, 22 Nov 2026 10:02:00 GMT", Date.parse("2026-11-22T10:00:00Z"), 120_000).status,
    ).toBe("ok");
  });
});
