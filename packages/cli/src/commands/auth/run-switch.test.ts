import { describe, expect, it } from "vitest";
import { useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();

describe("mgmt auth switch", () => {
  it("makes another profile the active one", async () => {
    await account.login();
    await account.login("--profile", "second");
    expect(account.stored().active).toBe("default");
    expect((await account.mgmt`auth switch second`).stderr).toBe("The active profile is now second.\n");
    expect((await account.mgmt`auth status -o json`).json).toMatchObject({ profile: { value: "second" } });
  });

  it("needs the name of an existing profile", async () => {
    await account.login();
    for (const [name, stderr] of [
      [
        "nobody",
        "error: There is no profile nobody (profile:not_found)\n" +
          "hint: The only profile is default. mgmt login --profile nobody creates this one.\n",
      ],
      ["defualt", expect.stringContaining("hint: Did you mean default? The only profile is default.")],
      ["a b", expect.stringContaining('<profile> cannot be "a b"')],
    ] as const)
      expect(await account.mgmt`auth switch ${name}`).toMatchObject({ status: 2, stderr });
    expect((await account.mgmt`whoami --profile nobody`).stderr).toContain(
      "hint: Pass --profile default, or create",
    );
    expect((await account.mgmt`auth switch`).status).toBe(3);
    expect(account.stored().active).toBe("default");
  });
});
