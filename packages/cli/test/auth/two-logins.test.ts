import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../terminal.js";
import { type Account, converse, startAccount } from "./account.js";

let account: Account;
beforeEach(async () => {
  account = await startAccount();
});
afterEach(() => account.close());

/** Logs in as the user, in a process of its own. */
const loginAs = (user: string, ...flags: string[]): Promise<Result> =>
  converse(
    ["login", "--no-browser", "--base-url", account.server.baseUrl, "-o", "json", ...flags],
    account.env,
    async (url) => (await account.server.engine.oauth.consent({ url, user })).redirect,
  );

const isHonoured = async (accessToken = ""): Promise<boolean> => {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await fetch(`${account.server.baseUrl}/v1/me`, { headers })).ok;
};

const revocations = (): number =>
  account.server.engine.requests.filter(({ operationId }) => operationId === "oauth.revoke").length;

describe("two logins at once", () => {
  it("to profiles of their own both stay, in a file that was not there", async () => {
    const { user, otherUser } = account.server.engine.residents;
    const [one, two] = await Promise.all([
      loginAs(user.id, "--profile", "one"),
      loginAs(otherUser.id, "--profile", "two"),
    ]);
    expect([one.status, two.status]).toEqual([0, 0]);
    const whoOf = async (name: string): Promise<unknown> =>
      (await account.mgmt`whoami --profile ${name} -o json`).json;
    expect(await whoOf("one")).toMatchObject({ user: { email: user.email } });
    expect(await whoOf("two")).toMatchObject({ user: { email: otherUser.email } });
    expect(readdirSync(dirname(account.file))).toEqual(["config.json"]);
  });

  it("to one profile leave one of them, whole, with its own workspace; the other is ended", async () => {
    const { engine } = account.server;
    const { user, otherUser } = engine.residents;
    // The service lets one of them wait for long enough that the other is through.
    engine.faults.add({ operation: "me.get", latency: 2_500, times: 1 });
    const both = await Promise.all([loginAs(user.id), loginAs(otherUser.id)]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    const { login, workspaceId } = account.kept().profiles["default"] ?? {};
    const { user: kept, workspace } = (await account.mgmt`whoami -o json`).json as Record<
      "user" | "workspace",
      { id: string }
    >;
    expect([user.id, otherUser.id]).toContain(kept.id);
    expect(workspaceId).toBe(workspace.id);
    expect(await isHonoured(login?.accessToken)).toBe(true);
    expect(revocations()).toBe(1);
  });
});

describe("a login that the service does not take", () => {
  it("is not kept, and ended where it was begun", async () => {
    const { baseUrl } = account.server;
    const line = ["login", "--no-browser", "--base-url", "http://127.0.0.1:1", "--auth-url", baseUrl];
    const { status, stdout, stderr } = await converse(
      line,
      account.env,
      async (url) => (await account.server.engine.oauth.consent({ url })).redirect,
    );
    expect({ status, stdout }).toEqual({ status: 9, stdout: "" });
    expect(stderr).toContain("base URL");
    expect(account.kept()).toEqual({ profiles: {} });
    expect(revocations()).toBe(1);
  });

  it("leaves the one that was there", async () => {
    const { engine } = account.server;
    await account.login();
    const before = account.kept();
    engine.faults.add({ operation: "me.get", status: 403, times: 1 });
    expect((await loginAs(engine.residents.otherUser.id)).status).toBe(5);
    expect(account.kept()).toEqual(before);
    expect((await account.mgmt`whoami`).status).toBe(0);
  });
});

it("keeps the project that was switched to while the browser was open", async () => {
  await account.login();
  const { engine, baseUrl } = account.server;
  const { id } = await engine.seed.project();
  const { status } = await converse(
    ["login", "--no-browser", "--base-url", baseUrl],
    account.env,
    async (url) => {
      expect((await account.mgmt`auth switch --project-id ${id}`).status).toBe(0);
      return (await engine.oauth.consent({ url })).redirect;
    },
  );
  expect(status).toBe(0);
  expect(account.kept().profiles["default"]).toMatchObject({ projectId: id });
});
