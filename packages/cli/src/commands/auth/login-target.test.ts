import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import { describe, expect, it } from "vitest";
import { useAccount } from "../../../test/commands/auth/account.js";
import { createContext } from "../../../test/mcp/mcp-client.js";
import { temporaryFolder } from "../../../test/folders.js";
import { createSettingsFolder } from "../../../test/profiles/settings-folder.js";
import { resolveLoginTarget } from "./login-target.js";

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

describe("the profile of a login", () => {
  const root = temporaryFolder();
  const profiles = {
    a: {
      baseUrl: "https://a.example",
      authUrl: "https://login.a.example",
      store: "keyring",
      projectId: "proj_a",
    },
    b: { token: "token-of-b", projectId: "proj_b" },
  } as const;
  const a = profiles.a.baseUrl;
  const settings = { MGMT_BASE_URL: "https://env.example", MGMT_AUTH_URL: " https://login.env.example " };

  it.each<[Parameters<typeof resolveLoginTarget>[0], NodeJS.ProcessEnv, string, object]>([
    [{}, {}, "a", { ...profiles.a }],
    [{ store: "file" }, {}, "a", { baseUrl: a, authUrl: "https://login.a.example", projectId: "proj_a" }],
    [
      { profile: "a", baseUrl: "https://new.example" },
      {},
      "a",
      { baseUrl: "https://new.example", authUrl: "https://new.example", store: "keyring" },
    ],
    [{ profile: "a" }, settings, "a", { ...profiles.a }],
    [
      { authUrl: "https://flag.example", baseUrl: a },
      settings,
      "a",
      { ...profiles.a, authUrl: "https://flag.example" },
    ],
    [{ baseUrl: a }, settings, "a", { ...profiles.a, authUrl: "https://login.env.example" }],
    [
      { profile: "b" },
      {},
      "b",
      { baseUrl: "https://b.example", authUrl: "https://b.example", projectId: "proj_b" },
    ],
    [
      { profile: "new" },
      settings,
      "new",
      { baseUrl: "https://env.example", authUrl: "https://login.env.example" },
    ],
    [
      { profile: "new", baseUrl: "https://flag.example", store: "keyring" },
      {},
      "new",
      { baseUrl: "https://flag.example", authUrl: "https://flag.example", store: "keyring" },
    ],
  ])("has what flags, variables, and the stored profile say: %j %j", async (flags, env, name, profile) => {
    const folder = createSettingsFolder(root, { profiles, active: "a" });
    const { context } = createContext({ ...folder.env, ...env }, folder.cwd);
    const target = await resolveLoginTarget(flags, context);
    expect([target.name, target.profile]).toEqual([name, profile]);
  });
});
