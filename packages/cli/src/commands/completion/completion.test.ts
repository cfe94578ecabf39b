import { describe, expect, it } from "vitest";
import { runInProcess } from "../../../test/in-process.js";

describe("completion", () => {
  it("refuses an unknown shell", async () => {
    expect(await runInProcess(["completion", "tcsh"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Allowed: bash, zsh, fish, powershell."),
    });
  });

  it.each(["zsh", "fish", "powershell"])("prints a script for %s that calls mgmt", async (shell) => {
    const { stdout, status } = await runInProcess(["completion", shell]);
    expect(status).toBe(0);
    expect(stdout).toContain("mgmt complete -- ");
    const flags = ["--output", "json", "--debug", "--yes", "--profile", "none", "--no-pager"];
    expect(await runInProcess(["completion", shell, ...flags])).toMatchObject({ status, stdout, stderr: "" });
  });
});
