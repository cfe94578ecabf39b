import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../test/result.js";
import { useAccount } from "../../test/commands/auth/account.js";

const account = useAccount();
let sponsor: { MGMT_CONTROL_URL: string; MGMT_CONTROL_SECRET_FILE: string };
beforeEach(() => {
  const secretFile = join(dirname(account.file), "secret");
  writeFileSync(secretFile, "control-secret-of-the-test\n", { mode: 0o600 });
  sponsor = { MGMT_CONTROL_URL: `${account.server.baseUrl}/_control`, MGMT_CONTROL_SECRET_FILE: secretFile };
});
const asSponsor = (line: string): Promise<Result> =>
  account.run(["dev", "approvals", ...line.split(" ")], { env: sponsor });

describe("the control surface of a command", () => {
  it("is refused if its setting is missing, wrong or not running, and the secret is never printed", async () => {
    for (const line of ["dev approvals list", "dev agent"]) {
      const none = await account.run(line.split(" "));
      expect(none).toMatchObject({ status: 9, stderr: expect.stringContaining("dev:not_running") });
    }
    const half = await account.mgmt`dev approvals list --control-url http://127.0.0.1:1/_control`;
    expect(half).toMatchObject({ status: 2, stderr: expect.stringContaining("--control-secret-file") });
    const gone = await asSponsor("list --control-url http://user:secret-of-the-test@127.0.0.1:1/_control");
    expect(gone).toMatchObject({ status: 9, stderr: expect.stringContaining("control:unreachable") });
    expect(gone.stderr).toContain("(from --control-url)");
    writeFileSync(sponsor.MGMT_CONTROL_SECRET_FILE, "wrong-secret-of-the-test");
    const wrong = await asSponsor("list");
    expect(wrong).toMatchObject({ status: 5, stderr: expect.stringContaining("control:refused") });
    expect(wrong.stderr).toContain("Send the control secret of this server");
    expect(wrong.stderr + gone.stderr).not.toContain("secret-of-the-test");
  });

  it.each([
    [{ MGMT_CONTROL_URL: undefined }, "", "MGMT_CONTROL_SECRET_FILE is set, but neither --control-url nor"],
    [
      { MGMT_CONTROL_SECRET_FILE: undefined },
      "",
      "MGMT_CONTROL_URL is set, but neither --control-secret-file nor",
    ],
    [{ MGMT_CONTROL_URL: "127.0.0.1" }, "", "MGMT_CONTROL_URL must be an absolute URL"],
    [{ MGMT_CONTROL_URL: "" }, "--control-url=", "--control-url must be an absolute URL"],
    [{ MGMT_CONTROL_SECRET_FILE: "/none/secret" }, "", "MGMT_CONTROL_SECRET_FILE: cannot read /none/secret"],
    [{}, "--control-secret-file /none/secret", "--control-secret-file: cannot read /none/secret"],
  ])("is refused with the variable or the flag of a wrong setting: %j %s", async (env, flags, message) => {
    const line = ["dev", "approvals", "list", ...flags.split(" ").filter(Boolean)];
    const { status, stderr } = await account.run(line, { env: { ...sponsor, ...env } });
    expect(status).toBe(2);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr.includes("usage:unreadable_file")).toBe(message.includes("cannot read"));
  });

  it("is that of the profile local that mgmt dev registered", async () => {
    const { MGMT_CONTROL_URL: controlUrl, MGMT_CONTROL_SECRET_FILE: controlSecretFile } = sponsor;
    account.store(({ profiles }) => {
      profiles["local"] = { baseUrl: account.server.baseUrl, controlUrl, controlSecretFile };
    });
    expect((await account.mgmt`dev approvals list -o json`).json).toEqual([]);
  });
});
