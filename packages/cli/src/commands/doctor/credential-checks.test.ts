import document from "@mgmt/sdk/openapi.json";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startCannedServer } from "../../../test/canned-server.js";
import { useDoctor } from "../../../test/commands/doctor/doctor.js";
import { checksOf } from "../../../test/commands/doctor/checks.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";

describe("mgmt doctor", () => {
  const doctor = useDoctor();

  it("says that the credential is rejected, and names the command that helps", async () => {
    const env = { MGMT_BASE_URL: doctor.account.server.baseUrl, MGMT_TOKEN: "nonsense" };
    const result = await doctor.run(env);
    expect(result.status).toBe(1);
    expect(checksOf(result)["credential"]).toMatchObject({ status: "failure", next: [["mgmt", "login"]] });
    expect(result.errors).toMatchObject([
      { error: { code: "doctor:failed", message: expect.any(String), next: [["mgmt", "login"]] } },
    ]);
    expect(result.stdout).not.toContain("nonsense");
  });

  it("warns about a default project that does not exist", async () => {
    const result = await doctor.run({ MGMT_PROJECT_ID: "proj_gone" });
    expect(result.status).toBe(0);
    expect(checksOf(result)["defaults"]).toMatchObject({
      status: "warning",
      message: expect.stringContaining("proj_gone (from MGMT_PROJECT_ID)"),
      next: [["mgmt", "projects", "list"]],
    });
  });
});

describe("mgmt doctor without a working service", () => {
  let close: (() => void) | undefined;
  beforeEach(() => (close = undefined));
  afterEach(() => close?.());

  it("says that there is no token", async () => {
    const canned = await startCannedServer(() => ({ body: { paths: document.paths } }));
    close = canned.close;
    const env = { MGMT_BASE_URL: canned.env["MGMT_BASE_URL"] };
    const result = await runInProcess(["doctor", "-o", "json"], { env, cwd: temporaryFolder() });
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
