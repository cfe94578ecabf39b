import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();

describe("mgmt auth status", () => {
  it("shows where each value came from and when the token expires", async () => {
    await account.login();
    const { json, status } = await account.mgmt`auth status -o json`;
    expect(status).toBe(0);
    const { baseUrl, engine } = account.server;
    expect(json).toEqual({
      profile: { value: "default", from: account.file },
      baseUrl: { value: baseUrl, from: "profile default" },
      authUrl: { value: baseUrl, from: "profile default" },
      credential: {
        kind: "login",
        from: "profile default",
        store: "file",
        endsAt: expect.stringMatching(/^\d{4}-.*Z$/),
        renews: true,
        scopes: expect.arrayContaining(["workspace:admin"]),
      },
      workspace: { value: engine.defaults.workspace.id, from: "profile default" },
      project: { value: null, from: null },
      file: account.file,
      link: null,
    });
    expect((await account.mgmt`auth status`).stdout).toMatch(/^credential ends at +\d{4}-/m);
  });

  it("exits with 4 when nobody is logged in", async () => {
    const { status, stdout, stderr } = await account.mgmt`auth status -o json`;
    expect(status).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ profile: { value: null }, credential: { kind: null } });
    expect(stderr).toContain("mgmt login");
  });

  it("names the flag before the variable, and the variable before the profile", async () => {
    await account.login();
    const { tokens } = account.server.engine;
    const statusOf = async (line: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> => {
      const words = ["auth", "status", "-o", "json", ...line.split(" ").filter(Boolean)];
      const { json } = await account.run(words, { env });
      const { baseUrl, credential } = json as Record<string, { from: string }>;
      return { baseUrl: baseUrl?.from, credential: credential?.from };
    };
    const env = { MGMT_TOKEN: await tokens.service(), MGMT_BASE_URL: account.server.baseUrl };
    expect(await statusOf("")).toEqual({ baseUrl: "profile default", credential: "profile default" });
    expect(await statusOf("", env)).toEqual({ baseUrl: "MGMT_BASE_URL", credential: "MGMT_TOKEN" });
    expect(await statusOf("", { MGMT_TOKEN: env.MGMT_TOKEN })).toEqual({
      baseUrl: "profile default",
      credential: "MGMT_TOKEN",
    });
    const file = join(dirname(account.file), "token");
    writeFileSync(file, env.MGMT_TOKEN);
    expect(await statusOf(`--token-file ${file} --base-url ${account.server.baseUrl}`, env)).toEqual({
      baseUrl: "--base-url",
      credential: "--token-file",
    });
    expect(await statusOf("--profile default", env)).toEqual({
      baseUrl: "profile default",
      credential: "profile default",
    });
  });

  it("names the authorization server of the service, not that of a profile for another service", async () => {
    await account.login();
    const { baseUrl, engine } = account.server;
    const token = await engine.tokens.service();
    const authUrlOf = async (env: NodeJS.ProcessEnv, ...flags: string[]): Promise<unknown> => {
      const { json } = await account.run(["auth", "status", "-o", "json", ...flags], { env });
      return (json as { authUrl: unknown }).authUrl;
    };
    const ofProfile = { value: baseUrl, from: "profile default" };
    const ofVariable = { value: "http://auth.test/", from: "MGMT_AUTH_URL" };
    const authUrl = "http://ada:CANARY@auth.test";
    const elsewhere = { MGMT_TOKEN: token, MGMT_BASE_URL: "http://127.0.0.1:1" };
    expect(await authUrlOf({ MGMT_TOKEN: token, MGMT_BASE_URL: baseUrl })).toEqual(ofProfile);
    expect(await authUrlOf({ MGMT_TOKEN: token })).toEqual(ofProfile);
    expect(await authUrlOf(elsewhere)).toEqual({ value: null, from: null });
    expect(await authUrlOf({ MGMT_TOKEN: token }, "--base-url", elsewhere.MGMT_BASE_URL)).toEqual({
      value: null,
      from: null,
    });
    expect(await authUrlOf({ ...elsewhere, MGMT_AUTH_URL: authUrl })).toEqual(ofVariable);
    expect(await authUrlOf({ MGMT_AUTH_URL: authUrl })).toEqual(ofVariable);
    expect(await authUrlOf({ MGMT_AUTH_URL: authUrl }, "--profile", "default")).toEqual(ofProfile);
    expect(await authUrlOf({ MGMT_AUTH_URL: " " })).toEqual(ofProfile);
  });
});
