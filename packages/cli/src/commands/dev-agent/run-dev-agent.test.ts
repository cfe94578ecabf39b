import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { useAccount } from "../../../test/commands/auth/account.js";
import type { Result } from "../../../test/result.js";

const account = useAccount();

const createAgent = (...line: string[]): Promise<Result> => {
  const secretFile = join(dirname(account.file), "secret");
  writeFileSync(secretFile, "control-secret-of-the-test", { mode: 0o600 });
  const control = [
    "--control-url",
    `${account.server.baseUrl}/_control`,
    "--control-secret-file",
    secretFile,
  ];
  return account.run(["dev", "agent", ...line, ...control, "-o", "json"]);
};

const day = 24 * 60 * 60_000;

describe("mgmt dev agent", () => {
  it("stores a credential of the agent for its time, and does not print it", async () => {
    const { status, stdout, stderr, json } = await createAgent(
      "builder",
      "--save-as",
      "robot",
      "--expires-in",
      "12h",
    );
    const { token = "", ...profile } = account.stored().profiles["robot"] ?? {};
    const { workspace, user } = account.server.engine.defaults;
    expect({ status, json }).toEqual({
      status: 0,
      json: {
        profile: "robot",
        agentId: "builder",
        sponsorId: user.id,
        workspaceId: workspace.id,
        expiresAt: expect.any(String),
      },
    });
    expect(profile).toMatchObject({ baseUrl: account.server.baseUrl, workspaceId: workspace.id });
    expect(token.length).toBeGreaterThan(20);
    expect(stdout + stderr).not.toContain(token);
    const whoami = await account.mgmt`whoami --profile robot -o json`;
    expect(whoami).toMatchObject({ status: 0, json: { credential: { type: "agent_token" } } });
    const lifetime = Date.parse((json as { expiresAt: string }).expiresAt) - Date.now();
    expect(Math.round((lifetime / day) * 24)).toBe(12);
  });

  it("uses the profile agent and 30 days by default, and replaces a profile that has no user credential", async () => {
    const before = await createAgent();
    const lifetime = Date.parse((before.json as { expiresAt: string }).expiresAt) - Date.now();
    expect([before.status, Math.round(lifetime / day)]).toEqual([0, 30]);
    const { token } = account.stored().profiles["agent"] ?? {};
    expect(await createAgent("other")).toMatchObject({ status: 0, json: { agentId: "other" } });
    expect(account.stored().profiles["agent"]?.token).not.toBe(token);
    const baseUrl = "http://127.0.0.1:1";
    account.store(({ profiles }) => void (profiles["agent"] = { baseUrl, output: "yaml" }));
    expect(await createAgent()).toMatchObject({ status: 0 });
  });

  it.each([{ token: "token-of-the-user" }, { login: { accessToken: "login-of-the-user" } }])(
    "keeps a profile that has another credential: %j",
    async (credential) => {
      const profile = { baseUrl: account.server.baseUrl, ...credential };
      account.store(({ profiles }) => void (profiles["agent"] = profile));
      expect(await createAgent()).toMatchObject({ status: 7, stdout: "" });
      expect(account.stored().profiles["agent"]).toEqual(profile);
    },
  );

  it.each([
    ["no/name", []],
    ["a".repeat(129), []],
    ["builder", ["--save-as", "no name"]],
    ["builder", ["--expires-in", "soon"]],
  ])("refuses %s %j and stores nothing", async (name, flags) => {
    expect(await createAgent(name, ...flags)).toMatchObject({ status: 2, stdout: "" });
    expect(account.stored().profiles).toEqual({});
  });
});
