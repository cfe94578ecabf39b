import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import { describe, expect, it } from "vitest";
import { useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();

describe("a login without an address", () => {
  const dev = (): Record<string, unknown> => ({
    baseUrl: account.server.baseUrl,
    process: createProcessView().self,
    ephemeral: true,
  });
  const token = (): Promise<string> => account.server.engine.tokens.user();

  it("finds the service of a running mgmt dev", async () => {
    account.store(({ profiles }) => (profiles["ephemeral-1"] = dev()));
    const result = await account.run(["login", "--with-token"], { stdin: await token() });
    expect(result).toMatchObject({ status: 0, stderr: "Logged in to profile ephemeral-1.\n" });
    expect(account.stored().profiles["ephemeral-1"]).toMatchObject(dev());
  });

  it("creates the named profile for a running mgmt dev, and keeps it when that ends", async () => {
    account.store(({ profiles }) => (profiles["ephemeral-1"] = dev()));
    const result = await account.run(["login", "--profile", "mine", "--with-token"], {
      stdin: await token(),
    });
    expect(result).toMatchObject({ status: 0 });
    const { mine } = account.stored().profiles;
    expect(mine).toMatchObject({ baseUrl: account.server.baseUrl, token: expect.any(String) });
    expect(mine).not.toHaveProperty("process");
    expect(mine).not.toHaveProperty("ephemeral");
  });
});

describe("the address of a login", () => {
  it("is required", async () => {
    const { status, stderr } = await account.mgmt`login --no-browser`;
    expect([status, stderr]).toEqual([2, expect.stringContaining("usage:no_base_url")]);
  });

  it.each([
    ["--base-url", "nonsense", "--base-url must be an absolute URL"],
    ["--base-url", "ftp://127.0.0.1", "--base-url must be an absolute URL"],
    ["--base-url", "http://user:secret-word@127.0.0.1:1", "--base-url must not contain a credential"],
    ["--auth-url", "nonsense", "--auth-url is not an absolute URL"],
    ["--auth-url", "http://127.0.0.1:1/?a=secret-word", "--auth-url must not have a query or a fragment"],
  ])("is refused if it is invalid: %s %s", async (flag, address, problem) => {
    const line = ["login", "--no-browser", "--base-url", account.server.baseUrl, flag, address];
    const { status, stderr } = await account.run(line);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(problem) });
    expect(stderr).not.toContain("secret-word");
  });

  it("is not that of another service than the active profile's", async () => {
    await account.login();
    const before = account.stored();
    const { status, stderr } = await account.mgmt`login --base-url http://127.0.0.1:1`;
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("--profile NAME") });
    expect(account.stored()).toEqual(before);
  });
});
