import { describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();

describe("the requests of --dry-run", () => {
  it("have no secrets in the JSON", async () => {
    const mgmt = session.as("token", { stdin: "recipient-secret" });
    const { stdout } = await mgmt`projects transfer proj_1 --recipient-access-token-file - --dry-run -o yaml`;
    expect(stdout).toContain("[redacted]");
    expect(stdout).not.toContain("recipient-secret");
  });

  it.each(["json", "curl"])("have no secret of a header or an address: %s", async (format) => {
    const words = [
      "api",
      "/v1/projects?access_token=canary-of-query",
      "--header",
      "X-Api-Key: canary-of-header",
    ];
    const { status, stdout } = await runInProcess([...words, `--dry-run=${format}`], { env: session.env });
    expect(status).toBe(0);
    expect(stdout).toContain(format === "json" ? "[redacted]" : '"$X_API_KEY"');
    expect(stdout).not.toContain("canary");
  });
  it("are printed without an argument for their format", async () => {
    const { json } = await session.mgmt`projects delete --dry-run proj_1`;
    expect(json).toMatchObject([{ url: expect.stringContaining("proj_1") }]);
  });
});
