import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startAccount } from "../../test/commands/auth/account.js";
import { runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";
import { openWorkplace } from "../../test/workplace.js";

const session = useSession();

describe("--debug", () => {
  it("prints each request as a curl command, its status and time on standard error", async () => {
    const { mgmt, server, env } = session;
    const { status, stdout, stderr } = await mgmt`projects list --debug -o ndjson`;
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    const [request, response] = stderr.trim().split("\n");
    expect(JSON.parse(request ?? "")).toMatchObject({
      notice: {
        code: "debug:request",
        message: expect.stringContaining(`--request GET '${server.baseUrl}/v1/projects'`),
      },
    });
    expect(JSON.parse(response ?? "")).toMatchObject({
      notice: {
        code: "debug:response",
        status: 200,
        durationMs: expect.any(Number),
        requestId: expect.any(String),
      },
    });
    const text = await runInProcess(["--debug", "projects", "list"], { env });
    expect(text.stderr).toMatch(
      /^printf .*"\$MGMT_TOKEN" \| curl .*\nStatus 200 after \d+ ms, request id req_\w+\n/,
    );
    expect(text.stderr).not.toContain(env["MGMT_TOKEN"]);
  });

  it("prints no secret of a request, a response, a login or a token", async () => {
    const { as, env, server } = session;
    const token = env["MGMT_TOKEN"] ?? "";
    const { id } = await server.engine.seed.project();
    const recipient = await server.engine.tokens.otherUser();
    const transferred = await as(token, {
      stdin: recipient,
    })`projects transfer ${id} --recipient-access-token-file - --yes --debug`;
    expect(transferred).toMatchObject({ status: 0, stderr: expect.stringContaining("[redacted]") });
    const created = await session.mgmt`projects create secret --debug -o json`;
    const [, password = ""] = /"pass": "([^"]+)"/.exec(created.stdout) ?? [];
    expect(password).toMatch(/\w{8,}/);
    const called = await session.mgmt`api POST /v1/keys -f password=CANARY -H x-api-key:CANARY --debug`;
    expect(called.stderr).toContain("--header 'x-api-key: [redacted]'");
    for (const secret of [token, recipient, password, "CANARY"]) {
      for (const { stderr } of [transferred, created, called]) expect(stderr).not.toContain(secret);
    }
  });

  it("covers the requests of a login, whose codes and tokens it does not print", async () => {
    const account = await startAccount();
    const login = await account.login("--debug");
    const { login: stored } = account.stored().profiles["default"] ?? {};
    expect(login.stderr).toMatch(/curl .*\/token' # with a body that is not shown/);
    // Logins are sent without the token of requests.
    expect(login.stderr).toMatch(/^curl --silent [^|]*\/token'/m);
    expect(login.stderr).toMatch(/\nStatus 200 after \d+ ms/);
    const logout = await account.run(["logout", "--debug"]);
    expect(logout.stderr).toMatch(/curl .*\/revoke/);
    for (const secret of [stored?.accessToken, stored?.refreshToken]) {
      expect(secret).toMatch(/\w{8,}/);
      expect(login.stderr + logout.stderr).not.toContain(secret);
    }
    await account.close();
  });

  it("covers the requests of mgmt dev approvals, without the secret of the control surface", async () => {
    const place = await openWorkplace();
    const { stderr } = await place.run(["dev", "approvals", "list", "--debug"]);
    expect(stderr).toContain(`'${place.server.baseUrl}/_control/approvals'`);
    expect(stderr).toContain("--header 'x-mgmt-control-secret: [redacted]'");
    expect(stderr).not.toContain("Bearer");
    expect(stderr).toMatch(/\nStatus 200 after \d+ ms/);
    expect(stderr).not.toContain(readFileSync(join(place.folder, "control-secret"), "utf8"));
    await place.close();
  });

  it("prints the requests of the command alone, not those for the proof of mgmt dev", async () => {
    const place = await openWorkplace();
    for (const line of [
      ["projects", "list"],
      ["dev", "approvals", "list"],
      ["logout", "--yes"],
    ]) {
      const { stderr } = await place.run([...line, "--debug"]);
      expect(stderr).not.toContain("_control/proof");
    }
    const { stderr } = await place.run(["projects", "list", "--debug"], { env: { MGMT_PROFILE: "staging" } });
    expect(stderr.match(/^printf .*curl/gm)).toHaveLength(1);
    await place.close();
  });

  it("prints why a request got no response", async () => {
    const env = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "CANARY" };
    const { status, stderr } = await runInProcess(["projects", "create", "x", "--debug"], { env });
    expect(status).toBe(9);
    expect(stderr).toMatch(/^Failed after \d+ ms \(ECONNREFUSED\)$/m);
    expect(stderr).not.toContain("CANARY");
  });

  it("prints nothing without the flag, and for a command that sends nothing", async () => {
    expect((await session.mgmt`me -o json`).stderr).toBe("");
    expect((await session.mgmt`operations --debug -o json`).stderr).toBe("");
  });
});
