import { describe, expect, it } from "vitest";
import { ApiError, type ClientOptions, InvalidArgumentError, MgmtError, createClient } from "@mgmt/sdk";
import { createAuthenticator, memoryStore } from "@mgmt/sdk/auth";
import { nodeTransport } from "@mgmt/sdk/node";
import { authErrors } from "../auth/errors.js";
import {
  approvalGrantedGoal,
  databaseReadyGoal,
  deploymentPromotedGoal,
  deploymentRunningGoal,
  deploymentStoppedGoal,
  projectTransferredGoal,
} from "../wait/goals.js";
import { startServer, thrown } from "../../test/server.js";

/** Names of options and methods of the SDK, which programs built on it do not show to their users. */
const sdkNames =
  /\b(baseUrl|authUrl|clientId|timeoutMs|startLogin|finishLogin|deployments\.|agentApprovals\.)/;

const answering = async (status: number, body = "", options: Partial<ClientOptions> = {}) => {
  const { baseUrl } = await startServer((_, response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(body),
  );
  return createClient({ baseUrl, token: false, transport: nodeTransport(), ...options });
};

describe("advice", () => {
  it("names the argument to fix, and its problem apart from its name", async () => {
    const badBase = await thrown(
      Promise.resolve().then(() => createClient({ baseUrl: "ftp://x.test", token: false })),
    );
    expect(badBase).toBeInstanceOf(InvalidArgumentError);
    expect(badBase).toMatchObject({
      advice: "fix_argument",
      argument: "baseUrl",
      problem: "must be an absolute URL, https:// or http://",
      message: "baseUrl must be an absolute URL, https:// or http://",
    });
    const client = await answering(200);
    const badId = await thrown(client.projects.get(".."));
    expect(badId).toMatchObject({ advice: "fix_argument", argument: "id" });
  });

  it("recommends checking the base URL when there is no response or an unreadable one", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:1", token: false, maxRetries: 0 });
    expect(await thrown(client.projects.get("a"))).toMatchObject({
      code: "connection:failed",
      advice: "check_base_url",
    });
    expect(await thrown((await answering(200, "<html>")).projects.get("a"))).toMatchObject({
      code: "response:invalid",
      advice: "check_base_url",
    });
    const { baseUrl } = await startServer(() => undefined);
    const hanging = createClient({ baseUrl, token: false, timeoutMs: 30, transport: nodeTransport() });
    expect(await thrown(hanging.projects.get("a"))).toMatchObject({
      code: "connection:timeout",
      advice: "check_base_url",
    });
  });

  it("distinguishes a redirect from a response that does not come from the service", async () => {
    expect(await thrown((await answering(302)).projects.get("a"))).toMatchObject({
      code: "http:302",
      advice: "use_redirect_target",
    });
    expect(await thrown((await answering(502, "", { maxRetries: 0 })).projects.get("a"))).toMatchObject({
      code: "http:502",
      advice: "check_intermediary",
    });
  });

  it("omits the advice when the service wrote the message", async () => {
    const body = JSON.stringify({
      error: { code: "project:not_found", message: "m", hint: "Check baseUrl." },
    });
    const error = await thrown((await answering(404, body)).projects.get("a"));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ hint: "Check baseUrl." });
    expect(error).not.toHaveProperty("advice");
  });

  it("recommends checking a malformed token", async () => {
    const client = await answering(200, "", { token: "two\nlines" });
    expect(await thrown(client.projects.get("a"))).toMatchObject({
      code: "token:unavailable",
      advice: "check_token",
    });
  });

  it("recommends logging in when nobody is logged in", async () => {
    const { token } = createAuthenticator({
      authUrl: "https://auth.test",
      clientId: "c",
      store: memoryStore(),
    });
    expect(await thrown(token())).toMatchObject({ code: "auth:login_required", advice: "log_in" });
  });

  it.each([
    ["database", "provisioning", "wait_longer"],
    ["deployment", "uploaded", "wait_longer"],
    ["approval", "pending", "wait_and_resend"],
  ] as const)(
    "explains how to continue after a wait for a %s timed out",
    async (resource, status, advice) => {
      const value = { id: "x", status };
      const client = await answering(200, JSON.stringify(resource === "approval" ? value : { data: value }));
      const waits = {
        database: () => client.databases.waitUntilReady("x", { timeoutMs: 50 }),
        deployment: () => client.deployments.waitUntilRunning("x", { timeoutMs: 50 }),
        approval: () => client.agentApprovals.wait("x", { timeoutMs: 50 }),
      };
      expect(await thrown(waits[resource]())).toMatchObject({
        code: "wait:timeout",
        resource,
        advice,
      });
    },
  );

  it("recommends starting a deployment that was stopped", async () => {
    const client = await answering(200, JSON.stringify({ data: { id: "x", status: "stopped" } }));
    expect(await thrown(client.deployments.waitUntilRunning("x"))).toMatchObject({
      code: "deployment:stopped",
      resource: "deployment",
      advice: "start_deployment",
    });
  });

  it("covers every hint about a login or a wait that names an option or a method of the SDK", () => {
    const cause = authErrors.requestFailed("refresh", "x", {});
    const errors: MgmtError[] = [
      authErrors.notLoggedIn(),
      authErrors.noRefreshToken(),
      authErrors.loginRejected(cause),
      authErrors.otherIssuer("a", "b"),
      authErrors.otherClient(),
      authErrors.otherMetadata("a"),
      authErrors.otherState(),
      authErrors.otherCallback("a"),
      authErrors.invalidCallback("x"),
      authErrors.loginDenied("access_denied", undefined),
      authErrors.userTimeout(1),
      authErrors.serverTimeout("a", 1),
      authErrors.noToken(1, "a"),
      authErrors.requestFailed("discovery", "x", {}),
      authErrors.requestFailed("login", "x", {}),
      cause,
      authErrors.requestFailed("revoke", "x", {}),
      authErrors.notRevoked(cause),
      authErrors.listenFailed("x"),
      authErrors.corruptStore("a", "b"),
    ];
    const goals = [
      approvalGrantedGoal,
      databaseReadyGoal,
      deploymentRunningGoal,
      deploymentStoppedGoal,
      deploymentPromotedGoal,
      projectTransferredGoal,
    ];
    const failures = goals.flatMap(({ outcomes, timeoutAdvice }) => [
      timeoutAdvice,
      ...Object.values(outcomes),
    ]);
    const advised = [...errors, ...failures.filter((each) => typeof each === "object")];
    expect(advised.length).toBeGreaterThan(25);
    for (const { hint = "", advice } of advised) {
      if (sdkNames.test(hint)) expect(advice, hint).toBeDefined();
    }
  });
});
