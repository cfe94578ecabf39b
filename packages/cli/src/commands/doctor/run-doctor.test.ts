import document from "@mgmt/sdk/openapi.json";
import { describe, expect, it } from "vitest";
import { useDoctor } from "../../../test/commands/doctor/doctor.js";
import { checksOf } from "../../../test/commands/doctor/checks.js";

const operationCount = Object.values(document.paths).reduce(
  (count, item) =>
    count + Object.keys(item).filter((key) => /^(get|post|put|patch|delete)$/.test(key)).length,
  0,
);

describe("mgmt doctor", () => {
  const doctor = useDoctor();

  it("reports every check as ok or skipped, and exits with 0", async () => {
    const result = await doctor.run();
    // A slow machine prints that it waits.
    const errors = result.stderr.split("\n").filter((line) => !line.includes('"request:slow"'));
    expect({ status: result.status, errors }).toEqual({ status: 0, errors: [""] });
    const checks = checksOf(result);
    const { tls, ...others } = checks;
    expect(tls?.status).toBe("skipped");
    expect(Object.entries(others).map(([name, { status }]) => [name, status])).toEqual(
      [
        "node",
        "environment",
        "profiles",
        "link",
        "profile",
        "dev",
        "address",
        "proxy",
        "service",
        "clock",
        "contract",
      ]
        .concat("keyring", "credential", "defaults")
        .map((name) => [name, "ok"]),
    );
    expect(checks["credential"]?.message).toContain("refreshed automatically");
    expect(checks["contract"]?.message).toContain(`${String(operationCount)} operations`);
  });

  it("prints a line for each check, and no secret", async () => {
    const { stdout } = await doctor.account.run(["doctor"], { cwd: doctor.folder });
    expect(stdout).toMatch(/^ok +node +Node\.js \d/);
    expect(stdout).toMatch(/^ok +service +Responded in \d+ ms$/m);
    const { login } = doctor.account.stored().profiles["default"] ?? {};
    expect(stdout).not.toContain(login?.accessToken);
  });

  it("prints only what --query selects", async () => {
    const { stdout } = await doctor.account.run(["doctor", "--query", "[?status=='failure']"], {
      cwd: doctor.folder,
    });
    expect(stdout).toBe("");
  });
});
