import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import { describe, expect, it } from "vitest";
import { checkNode } from "./machine-checks.js";
import { useDoctor } from "../../../test/commands/doctor/doctor.js";
import { checksOf } from "../../../test/commands/doctor/checks.js";

describe("mgmt doctor", () => {
  const doctor = useDoctor();

  it("reports a link that is corrupt, and skips what depends on it", async () => {
    const linked = join(doctor.folder, "corrupt");
    mkdirSync(join(linked, ".mgmt"), { recursive: true });
    writeFileSync(join(linked, ".mgmt/link.json"), "{");
    const result = await doctor.account.run(["doctor", "-o", "json"], { cwd: linked });
    expect(result.status).toBe(1);
    const checks = checksOf(result);
    expect(checks["link"]).toMatchObject({ status: "failure", next: [["mgmt", "unlink"]] });
    expect(checks["address"]).toMatchObject({ status: "skipped" });
  });

  it.each([
    [{}, "A person or a script"],
    [{ CI: "1", CLAUDECODE: "1" }, "CI runs this command"],
    [{ CLAUDECODE: "1" }, "Claude Code runs this command, because CLAUDECODE is set"],
    [{ CLAUDECODE: "", AI_AGENT: "0" }, "A person or a script"],
  ])("says what it takes the environment %j for", async (env, message) => {
    expect(checksOf(await doctor.run(env))["environment"]).toMatchObject({
      status: "ok",
      message: expect.stringContaining(message),
    });
  });

  it("reports a profile that does not exist", async () => {
    const result = await doctor.run({}, "--profile", "nobody");
    expect(result.status).toBe(1);
    expect(checksOf(result)["profile"]).toMatchObject({
      status: "failure",
      message: expect.stringContaining("profile:not_found"),
    });
  });

  it.skipIf(process.platform === "win32")("warns about a profiles file that others can read", async () => {
    chmodSync(doctor.account.file, 0o644);
    expect(checksOf(await doctor.run())["profiles"]).toMatchObject({
      status: "warning",
      hint: expect.stringContaining(`chmod 600 ${doctor.account.file}`),
    });
    chmodSync(doctor.account.file, 0o400);
    expect(checksOf(await doctor.run())["profiles"]).toMatchObject({ status: "warning" });
    chmodSync(doctor.account.file, 0o600);
  });

  it.each([
    ["clone", "; copies of large databases share the disk blocks of their source)"],
    ["copy", "; copies of large databases take as much disk as their source)"],
    ["of a newer version", ")"],
    [undefined, ")"],
  ])("says what copies of a running mgmt dev take on disk: %s", async (copyMethod, end) => {
    const { self } = createProcessView();
    const { baseUrl } = doctor.account.server;
    doctor.account.store(({ profiles }) => (profiles["shop"] = { baseUrl, process: self, copyMethod }));
    const message = `mgmt dev: shop at ${baseUrl} (process ${String(self.pid)}${end}`;
    expect(checksOf(await doctor.run())["dev"]).toMatchObject({ status: "ok", message });
    doctor.account.store(({ profiles }) => delete profiles["shop"]);
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
});
