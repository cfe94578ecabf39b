import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import document from "@mgmt/sdk/openapi.json";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkClock } from "./service-checks.js";
import { checkNode } from "./machine-checks.js";
import { type Account, startAccount } from "../../../test/commands/auth/account.js";
import { startCannedServer } from "../../../test/canned-server.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";

interface Check {
  name: string;
  status: string;
  message: string;
  hint?: string;
  next: string[][];
}

/** Returns the checks that a run printed as JSON, by name. */
const checksOf = ({ json }: Result): Record<string, Check> =>
  Object.fromEntries((json as Check[]).map((check) => [check.name, check]));

const folder = temporaryFolder();

describe("mgmt doctor", () => {
  let account: Account;
  beforeAll(async () => {
    account = await startAccount({ frozen: false });
    await account.login();
  });
  afterAll(() => account.close());

  const doctor = (env: NodeJS.ProcessEnv = {}, ...flags: string[]): Promise<Result> =>
    account.run(["doctor", "-o", "json", ...flags], { env, cwd: folder });

  it("reports every check as ok or skipped, and exits with 0", async () => {
    const result = await doctor();
    // A slow machine prints that it waits.
    const errors = result.stderr.split("\n").filter((line) => !line.includes('"request:slow"'));
    expect({ status: result.status, errors }).toEqual({ status: 0, errors: [""] });
    const checks = checksOf(result);
    const { tls, ...others } = checks;
    expect(tls?.status).toBe("skipped");
    expect(Object.entries(others).map(([name, { status }]) => [name, status])).toEqual(
      ["node", "profiles", "link", "profile", "dev", "address", "proxy", "service", "clock", "contract"]
        .concat("keyring", "credential", "defaults")
        .map((name) => [name, "ok"]),
    );
    expect(checks["credential"]?.message).toContain("refreshed automatically");
    expect(checks["contract"]?.message).toContain(`${String(operationCount)} operations`);
  });

  it("prints a line for each check, and no secret", async () => {
    const { stdout } = await account.run(["doctor"], { cwd: folder });
    expect(stdout).toMatch(/^ok +node +Node\.js \d/);
    expect(stdout).toMatch(/^ok +service +Responded in \d+ ms$/m);
    const { login } = account.stored().profiles["default"] ?? {};
    expect(stdout).not.toContain(login?.accessToken);
  });

  it("says that the credential is rejected, and names the command that helps", async () => {
    const env = { MGMT_BASE_URL: account.server.baseUrl, MGMT_TOKEN: "nonsense" };
    const result = await doctor(env);
    expect(result.status).toBe(1);
    expect(checksOf(result)["credential"]).toMatchObject({ status: "failure", next: [["mgmt", "login"]] });
    expect(result.errors).toMatchObject([
      { error: { code: "doctor:failed", message: expect.any(String), next: [["mgmt", "login"]] } },
    ]);
    expect(result.stdout).not.toContain("nonsense");
  });

  it("warns about a default project that does not exist", async () => {
    const result = await doctor({ MGMT_PROJECT_ID: "proj_gone" });
    expect(result.status).toBe(0);
    expect(checksOf(result)["defaults"]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("proj_gone (from MGMT_PROJECT_ID)"),
      next: [["mgmt", "projects", "list"]],
    });
  });

  it("reports a link that is corrupt, and skips what depends on it", async () => {
    const linked = join(folder, "corrupt");
    mkdirSync(join(linked, ".mgmt"), { recursive: true });
    writeFileSync(join(linked, ".mgmt/link.json"), "{");
    const result = await account.run(["doctor", "-o", "json"], { cwd: linked });
    expect(result.status).toBe(1);
    const checks = checksOf(result);
    expect(checks["link"]).toMatchObject({ status: "failure", next: [["mgmt", "unlink"]] });
    expect(checks["address"]).toMatchObject({ status: "skipped" });
  });

  it("reports a profile that does not exist", async () => {
    const result = await doctor({}, "--profile", "nobody");
    expect(result.status).toBe(1);
    expect(checksOf(result)["profile"]).toMatchObject({
      status: "failure",
      message: expect.stringContaining("profile:not_found"),
    });
  });

  it.skipIf(process.platform === "win32")("warns about a profiles file that others can read", async () => {
    chmodSync(account.file, 0o644);
    expect(checksOf(await doctor())["profiles"]).toMatchObject({
      status: "warning",
      hint: expect.stringContaining(`chmod 600 ${account.file}`),
    });
    chmodSync(account.file, 0o400);
    expect(checksOf(await doctor())["profiles"]).toMatchObject({ status: "warning" });
    chmodSync(account.file, 0o600);
  });

  it("prints only what --query selects", async () => {
    const { stdout } = await account.run(["doctor", "--query", "[?status=='failure']"], { cwd: folder });
    expect(stdout).toBe("");
  });
});

const operationCount = Object.values(document.paths).reduce(
  (count, item) =>
    count + Object.keys(item).filter((key) => /^(get|post|put|patch|delete)$/.test(key)).length,
  0,
);

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

  it("says that there is no token", async () => {
    const canned = await startCannedServer(() => ({ body: { paths: document.paths } }));
    close = canned.close;
    const env = { MGMT_BASE_URL: canned.env["MGMT_BASE_URL"] };
    const result = await runInProcess(["doctor", "-o", "json"], { env, cwd: folder });
    expect(result.status).toBe(1);
    expect(checksOf(result)["credential"]).toMatchObject({
      status: "failure",
      message: expect.stringContaining("auth:no_token"),
      next: [
        ["mgmt", "login", "--base-url", canned.env["MGMT_BASE_URL"]],
        ["mgmt", "help", "auth"],
      ],
    });
  });
});

describe("the checks of mgmt doctor", () => {
  it.each([
    ["18.20.0", "failure"],
    ["20.18.9", "failure"],
    ["20.19.0", "ok"],
    ["24.0.1", "ok"],
  ])("compare the version of Node.js with the required one: %s", (version, status) => {
    expect(checkNode(version).status).toBe(status);
  });

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
