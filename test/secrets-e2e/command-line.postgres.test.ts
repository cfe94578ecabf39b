import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../packages/cli/test/terminal.js";
import { type EchoServer, startEchoServer } from "./echo-server.js";
import { scan } from "./scan.js";
import { leaksOf } from "./leaks-of.js";
import { type CommandOptions, Witness } from "./witness.js";

const clientId = "itgr_mgmtcommandlineinterface";
const redirectUri = "http://127.0.0.1/callback";
const nowhere = "http://127.0.0.1:1";

let witness: Witness;
let echo: EchoServer;
beforeAll(async () => {
  witness = await Witness.start();
  echo = await startEchoServer();
});
afterAll(async () => {
  await witness.close();
  echo.close();
});

const stray = (): string => witness.stray();

/** Creates a project with a database. */
const project = async (token: string): Promise<{ id: string; database: string; connection: string }> => {
  const { stdout } = await witness.as(token, "projects create shop -o json", { output: "secrets" });
  // As the contract says.
  const { id, database } = JSON.parse(stdout) as {
    id: string;
    database: { id: string; defaultConnectionId: string };
  };
  return { id, database: database.id, connection: database.defaultConnectionId };
};

describe("the command line", { timeout: 120_000 }, () => {
  it("leaks no secret in logins, refreshes, and logouts", async () => {
    const mgmt = (line: string, options: CommandOptions = {}) =>
      witness.mgmt(line, { ...options, env: { MGMT_PROFILE: "local" }, spawn: true });
    expect((await witness.logIn((redirect) => redirect)).status).toBe(0);
    const { login } = witness;
    expect((await mgmt("whoami -o json")).status).toBe(0);
    for (const line of ["auth status", "auth status -o json", "auth status -o yaml", "whoami"]) {
      expect((await mgmt(line)).status).toBe(0);
    }
    expect((await mgmt("auth token", { output: "secret" })).stdout.trim()).toBe(login.accessToken);
    witness.expireLogin();
    expect((await mgmt("projects list")).status).toBe(0);
    expect(witness.login.refreshToken).not.toBe(login.refreshToken);
    expect((await mgmt("logout")).status).toBe(0);
  });

  it("detects a token that is printed unexpectedly", async () => {
    expect((await witness.logIn((redirect) => redirect)).status).toBe(0);
    const { accessToken } = witness.login;
    const { stdout } = await run(["auth", "token"], {
      env: { MGMT_CONFIG_DIR: witness.configDir, MGMT_PROFILE: "local" },
    });
    const leaks = scan([{ where: "stdout", text: stdout }], witness.canaries);
    expect(leaks).toContainEqual({ where: "stdout", kind: "access token", form: "plain" });
    expect(JSON.stringify(leaks)).not.toContain(accessToken);
  });

  it("leaks no secret in failed logins", async () => {
    const wrongState = await witness.logIn((redirect) => redirect.replace(/state=[^&]+/, "state=wrong"));
    expect(wrongState.status).toBe(4);
    expect((await witness.logIn(() => stray())).status).toBe(4);
    expect((await witness.logIn(() => `?password=${stray()}`)).status).not.toBe(0);
    const line = "login --with-token --profile other --base-url";
    for (const baseUrl of [witness.ready.baseUrl, echo.baseUrl, `${echo.baseUrl}/good`, nowhere]) {
      expect((await witness.mgmt(`${line} ${baseUrl} -o json`, { stdin: stray() })).status).not.toBe(0);
    }
  });

  it("leaks no secret if the profile file is broken", async () => {
    const token = stray();
    for (const text of [
      `{"profiles":{"local":{"token":"${token}`,
      `{"profiles":{"local":{"token":"${token}" x}}}`,
      `${token}`,
      JSON.stringify({ active: "local", profiles: { local: { baseUrl: nowhere, login: token } } }),
      JSON.stringify({
        active: "local",
        profiles: { local: { baseUrl: nowhere, login: { accessToken: token } } },
      }),
      JSON.stringify({ active: "local", profiles: { local: { baseUrl: nowhere, token: { token } } } }),
    ]) {
      writeFileSync(join(witness.folder, "config.json"), text);
      for (const line of [
        "projects list",
        "auth status -o json",
        "auth token",
        "logout",
        "login --with-token",
      ]) {
        const env = { MGMT_CONFIG_DIR: witness.folder };
        const { status } = await witness.mgmt(line, { env, stdin: token });
        // `auth status` and `logout` succeed if no profile can be read.
        if (!/status|logout/.test(line))
          expect({ text: text.length, line, status }).not.toMatchObject({ status: 0 });
      }
    }
  });

  it("leaks no secret in commands that create and rotate secrets", async () => {
    const { token, workspaceId } = witness.ready;
    const { id, database, connection } = await project(token);
    const runJson = async (line: string): Promise<Record<string, unknown>> => {
      const { status, stdout, stderr } = await witness.as(token, `${line} -o json`, {
        output: "secrets",
        spawn: true,
      });
      expect({ line, status, stderr }).toMatchObject({ status: 0 });
      // An object or an array, as the contract says.
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    await runJson(`databases create --project-id ${id} --name more`);
    await runJson(`databases connections create ${database} --name web`);
    await runJson(`connections rotate ${connection} --yes`);
    for (const line of [`connections get ${connection}`, `databases get ${database}`, "connections list"]) {
      await runJson(`${line} --show-secrets`);
      // Masked, the same output has no secret.
      expect((await witness.as(token, `${line} -o json`)).status).toBe(0);
    }
    const created = await runJson(`workspaces service-tokens create ${workspaceId} --name ci`);
    expect(created["value"]).toEqual(expect.stringMatching(/^ey/));
    await runJson(`workspaces service-tokens list ${workspaceId}`);
    const service = await runJson(`services create --project-id ${id} --display-name web`);
    const deployment = await runJson(`services deployments create ${String(service["id"])}`);
    expect(deployment["uploadUrl"]).toEqual(expect.stringMatching(/^http/));
    await fetch(String(deployment["uploadUrl"]), { method: "PUT", body: "code" });
    await runJson(`services deployments list ${String(service["id"])}`);
    for (const line of [`projects get ${id}`, `projects list`, `databases delete ${database}`]) {
      await witness.as(token, line);
    }
  });

  it("leaks no secret in the link file of a folder, or in errors about a broken one", async () => {
    expect((await witness.logIn((redirect) => redirect)).status).toBe(0);
    expect(witness.login.accessToken).toMatch(/^ey/);
    const cwd = join(witness.folder, "linked");
    const file = join(cwd, ".mgmt/link.json");
    mkdirSync(cwd);
    expect(
      (await witness.mgmt("link --project-id proj_plantedplantedplanted --no-verify", { cwd })).status,
    ).toBe(0);
    witness.record("link file", readFileSync(file, "utf8"));
    expect(witness.placesOf("proj_plantedplantedplanted")).toContain("link file");
    for (const text of [
      `{"profile":"local","token":"${stray()}`,
      stray(),
      JSON.stringify({ profile: "local", token: stray() }),
      JSON.stringify({ profile: "local", projectId: { token: stray() } }),
    ]) {
      writeFileSync(file, text);
      for (const line of ["auth status", "auth status -o json", "projects list -o json", "link"]) {
        await witness.mgmt(line, { cwd });
      }
    }
  });

  it("leaks no secret in tables and YAML of commands without secrets", async () => {
    const { token, workspaceId } = witness.ready;
    for (const line of [
      "projects list",
      "databases list",
      "connections list",
      "services list -o yaml",
      "me get -o yaml",
      `integrations list --workspace-id ${workspaceId}`,
      `workspaces service-tokens list ${workspaceId} -o yaml`,
    ]) {
      expect((await witness.as(token, line)).status).toBe(0);
    }
  });

  it("leaks no secret in transfers, including those that need approval", async () => {
    const [recipient, agent] = [await witness.token("other-user"), await witness.token("agent")];
    const { id } = await project(witness.ready.token);
    const transfer = `projects transfer ${id} --yes --recipient-access-token-file -`;
    const refused = await witness.as(agent, `${transfer} -o json`, { stdin: recipient });
    expect(refused.stderr).toContain("approval_required");
    const [, approval = ""] = /(apr_[a-z0-9]+)/.exec(refused.stderr) ?? [];
    expect((await witness.as(agent, `agent-approvals get ${approval} -o json`)).status).toBe(0);
    for (const line of ["list", "list -o json", `approve ${approval} -o json`]) {
      expect((await witness.mgmt(`dev approvals ${line}`)).status).toBe(0);
    }
    expect((await witness.as(agent, transfer, { stdin: stray() })).status).toBe(7);
    expect((await witness.as(agent, transfer, { stdin: recipient })).status).toBe(0);
  });

  it("leaks no secret in errors about a secret in the wrong field", async () => {
    const { token } = witness.ready;
    const [{ id }, secret] = [await project(token), stray()];
    const bodies: [string, object][] = [
      ["projects create", { name: "x", region: secret }],
      ["projects create", { name: { token: secret } }],
      ["projects create", { name: "x", workspaceId: secret }],
      ["projects create", { name: "x", recipientAccessToken: secret }],
      ["projects create", { name: secret.repeat(20) }],
      ["databases create", { projectId: secret, name: "x" }],
      ["databases create", { projectId: id, source: { type: secret } }],
      [`projects transfer ${id} --yes`, { recipientAccessToken: [secret] }],
      [`projects transfer ${id} --yes`, { recipientAccessToken: secret, region: secret }],
    ];
    for (const [line, body] of bodies) {
      const stdin = JSON.stringify(body);
      const { status } = await witness.as(token, `${line} --body - -o json`, { stdin });
      expect({ line, status }).not.toMatchObject({ status: 0 });
    }
    expect((await witness.as(token, "projects create --body -", { stdin: `{"a":"${secret}` })).status).toBe(
      2,
    );
    const post = async (path: string, body: string, type = "application/json"): Promise<void> => {
      const headers = { authorization: `Bearer ${token}`, "content-type": type };
      const response = await fetch(`${witness.ready.baseUrl}${path}`, { method: "POST", headers, body });
      expect(response.status).toBeGreaterThanOrEqual(400);
      witness.record(`error of ${path}`, `${inspect([...response.headers])} ${await response.text()}`);
    };
    for (const [line, body] of bodies) {
      const path = line.startsWith("databases")
        ? "/v1/databases"
        : line.includes(id)
          ? `/v1/projects/${id}/transfer`
          : "/v1/projects";
      await post(path, JSON.stringify(body));
    }
    await post("/v1/projects", `{"name": ${secret}}`);
    await post("/v1/projects", secret, "text/plain");
    const form = "application/x-www-form-urlencoded";
    await post("/token", `grant_type=${secret}&code=${secret}&client_id=${secret}`, form);
    await post(
      "/token",
      `grant_type=authorization_code&code=${secret}&client_id=${clientId}&redirect_uri=${redirectUri}&code_verifier=${secret.repeat(2)}`,
      form,
    );
    await post("/token", `grant_type=refresh_token&refresh_token=${secret}&client_id=${clientId}`, form);
    await post(
      "/token",
      `grant_type=refresh_token&refresh_token=${secret}&client_id=itgr_mgmtsamplewebapplication&client_secret=${secret}`,
      form,
    );
    await post("/_control/reset", JSON.stringify({ secret }));
  });

  it("leaks no secret if the service is unreachable, returns HTML, or rejects the token", async () => {
    for (const baseUrl of [nowhere, echo.baseUrl, `${echo.baseUrl}/good`, witness.ready.baseUrl]) {
      for (const line of [
        "projects list",
        "projects list -o json",
        "projects create --body - -o json",
        "whoami",
      ]) {
        const stdin = JSON.stringify({ name: stray() });
        const env = { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: stray() };
        expect((await witness.mgmt(line, { env, stdin })).status).not.toBe(0);
      }
    }
    for (const MGMT_TOKEN of [`${stray()}\n${stray()}`, `Bearer ${stray()}`, `ü${stray()}`]) {
      const env = { MGMT_BASE_URL: witness.ready.baseUrl, MGMT_TOKEN };
      expect((await witness.mgmt("projects list -o json", { env })).status).not.toBe(0);
    }
    const env = { MGMT_BASE_URL: `http://user:${stray()}@127.0.0.1:1`, MGMT_TOKEN: stray() };
    expect((await witness.mgmt("projects list", { env })).status).not.toBe(0);
  });

  it("leaks no secret in anything printed, thrown, logged, or listed by these tests", async () => {
    const { leaks, kinds } = await leaksOf(witness);
    expect(kinds).toEqual(
      expect.arrayContaining([
        "access token",
        "authorization code",
        "code verifier",
        "connection string",
        "control secret",
        "cursor key",
        "password",
        "refresh token",
        "service token",
        "signing key",
        "stray secret",
        "token",
        "upload URL",
      ]),
    );
    expect(leaks).toEqual([]);
  });
});
