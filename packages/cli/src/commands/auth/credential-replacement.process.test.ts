import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../../test/bin.js";
import type { Result } from "../../../test/result.js";
import { inPty } from "../../../test/pty.js";
import { converse, pasting, useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();
beforeAll(ensureBuilt);

/** Logs in as a user, in a separate process. */
const loginAs = (user: string, ...flags: string[]): Promise<Result> =>
  converse(
    ["login", "--no-browser", "--base-url", account.server.baseUrl, "-o", "json", ...flags],
    account.env,
    async (url) => (await account.server.engine.oauth.consent({ url, user })).redirect,
  );

const isAccepted = async (accessToken = ""): Promise<boolean> => {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await fetch(`${account.server.baseUrl}/v1/me`, { headers })).ok;
};

const revocations = (): number =>
  account.server.engine.requests.filter(({ operationId }) => operationId === "oauth.revoke").length;

describe("two concurrent logins", () => {
  it("are both stored if they use different profiles", async () => {
    const { user, otherUser } = account.server.engine.defaults;
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

  it("leave one complete login in a shared profile, and revoke the other", async () => {
    const { engine } = account.server;
    const { user, otherUser } = engine.defaults;
    // Delays one of them until the other is stored.
    engine.faults.add({ operation: "me.get", latency: 2_500, times: 1 });
    const both = await Promise.all([loginAs(user.id), loginAs(otherUser.id)]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    const { login, workspaceId } = account.stored().profiles["default"] ?? {};
    const { user: caller, workspace } = (await account.mgmt`whoami -o json`).json as Record<
      "user" | "workspace",
      { id: string }
    >;
    expect([user.id, otherUser.id]).toContain(caller.id);
    expect(workspaceId).toBe(workspace.id);
    expect(await isAccepted(login?.accessToken)).toBe(true);
    expect(revocations()).toBe(1);
  });
});

describe("a login that the service does not accept", () => {
  it("is not stored, and is revoked at its authorization server", async () => {
    const { baseUrl } = account.server;
    const line = ["login", "--no-browser", "--base-url", "http://127.0.0.1:1", "--auth-url", baseUrl];
    const { status, stdout, stderr } = await account.run(line, {
      reply: pasting(async (url) => (await account.server.engine.oauth.consent({ url })).redirect),
    });
    expect({ status, stdout }).toEqual({ status: 9, stdout: "" });
    expect(stderr).toContain("base URL");
    expect(account.stored()).toEqual({ profiles: {} });
    expect(revocations()).toBe(1);
  });

  it("does not replace the stored one", async () => {
    const { engine } = account.server;
    await account.login();
    const before = account.stored();
    engine.faults.add({ operation: "me.get", status: 403, times: 1 });
    expect((await loginAs(engine.defaults.otherUser.id)).status).toBe(5);
    expect(account.stored()).toEqual(before);
    expect((await account.mgmt`whoami`).status).toBe(0);
  });
});

it("preserves a project that was chosen while the browser was open", async () => {
  await account.login();
  const { engine, baseUrl } = account.server;
  const { id } = await engine.seed.project();
  const { status } = await account.run(["login", "--no-browser", "--base-url", baseUrl], {
    reply: pasting(async (url) => {
      expect((await account.mgmt`auth switch --project-id ${id}`).status).toBe(0);
      return (await engine.oauth.consent({ url })).redirect;
    }),
  });
  expect(status).toBe(0);
  expect(account.stored().profiles["default"]).toMatchObject({ projectId: id });
});

describe("the login of another account than the profile's", () => {
  const accountIn = (): unknown => account.stored().profiles["default"]?.["account"];

  it("is revoked unless the user agrees, and the previous login stays", async () => {
    const { user, otherUser } = account.server.engine.defaults;
    expect((await loginAs(user.id)).status).toBe(0);
    const { status, stderr } = await loginAs(otherUser.id);
    expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining("confirmation:needed") });
    expect(stderr).toContain(
      `replace the login of ${user.email} in profile default by that of ${otherUser.email}`,
    );
    expect(accountIn()).toBe(user.email);
    expect(revocations()).toBe(1);
    expect((await account.mgmt`whoami -o json`).json).toMatchObject({ user: { email: user.email } });
  });

  it("replaces it with --yes, and the previous one is revoked", async () => {
    const { user, otherUser } = account.server.engine.defaults;
    await loginAs(user.id);
    expect((await loginAs(otherUser.id, "--yes")).status).toBe(0);
    expect(accountIn()).toBe(otherUser.email);
    expect(revocations()).toBe(1);
  });

  it("is asked about at a terminal, and revoked if the answer is no or Ctrl-C", async () => {
    const { user, otherUser } = account.server.engine.defaults;
    await loginAs(user.id);
    const paste = {
      when: /(http\S+\/authorize\S+)[^]*Paste the URL/,
      type: async ([, url = ""]: RegExpExecArray) =>
        `${(await account.server.engine.oauth.consent({ url, user: otherUser.id })).redirect}\r`,
    };
    const words = ["login", "--no-browser", "--base-url", account.server.baseUrl];
    const ask = (answer: string) => [paste, { when: /by that of .*Continue\?/, type: answer }];
    expect((await inPty(words, ask("n\r"), account.env)).status).toBe(3);
    expect(revocations()).toBe(1);
    expect((await inPty(words, ask("\u0003"), account.env)).status).toBe(130);
    expect(revocations()).toBe(2);
    expect(accountIn()).toBe(user.email);
    expect((await inPty(words, ask("y\r"), account.env)).status).toBe(0);
    expect(accountIn()).toBe(otherUser.email);
  });

  it("needs no agreement in another profile, or for the same account", async () => {
    const { user, otherUser } = account.server.engine.defaults;
    await loginAs(user.id);
    expect((await loginAs(otherUser.id, "--profile", "other")).status).toBe(0);
    expect((await loginAs(user.id)).status).toBe(0);
  });
});
