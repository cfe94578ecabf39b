import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../../test/bin.js";
import { inPty, readsKeys, type Step } from "../../../test/pty.js";
import { useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();
beforeAll(ensureBuilt);

const inTerminal = (
  words: readonly string[],
  steps: readonly Step[],
  env: NodeJS.ProcessEnv = {},
  columns?: number,
): ReturnType<typeof inPty> => inPty(words, steps, { ...account.env, ...env }, columns);

const paste = /\n {2}(http\S+authorize\S+)[\s\S]*Paste the URL/;

describe("mgmt login on a terminal", () => {
  const line = (): string[] => ["login", "--no-browser", "--base-url", account.server.baseUrl];

  it("asks for the address that the browser ends up at", async () => {
    const type = async ([, url = ""]: RegExpExecArray): Promise<string> =>
      `${(await account.server.engine.oauth.consent({ url })).redirect}\r`;
    const { status, screen } = await inTerminal(line(), [{ when: paste, type }]);
    expect({ status, screen }).toEqual({
      status: 0,
      screen: expect.stringContaining("Logged in to profile default."),
    });
    expect((await account.mgmt`whoami -o json`).json).toMatchObject({ credential: { type: "oauth" } });
  });

  it.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("stores nothing after %s, and exits with 130", async (_, type) => {
    const { status } = await inTerminal(line(), [{ when: paste, type }]);
    expect(status).toBe(130);
    expect(account.stored()).toEqual({ profiles: {} });
  });

  it("stores no token after Ctrl-D, and exits with 130", async () => {
    const words = ["login", "--with-token", "--base-url", account.server.baseUrl];
    expect((await inTerminal(words, [{ when: /Token:/, type: "\u0004" }])).status).toBe(130);
    expect(account.stored()).toEqual({ profiles: {} });
  });

  it("reads a token without showing it", async () => {
    const token = await account.server.engine.tokens.service();
    const words = ["login", "--with-token", "--base-url", account.server.baseUrl];
    const { status, raw } = await inTerminal(words, [{ when: /Token:/, type: `${token}\r` }]);
    expect(status).toBe(0);
    expect(raw).not.toContain(token.slice(0, 20));
    expect(account.stored().profiles["default"]?.token).toBe(token);
  });
});

describe("mgmt auth switch on a terminal", () => {
  beforeEach(() =>
    account.store((kept) => {
      kept.active = "one";
      kept.profiles["one"] = { baseUrl: "http://127.0.0.1:1" };
      kept.profiles["two"] = { baseUrl: "http://user:CANARY@127.0.0.1:2" };
    }),
  );

  it("shows the profiles to choose from", async () => {
    const choose = [{ when: /two {2}http/, type: "\u001b[B\r" }];
    const { status, raw } = await inTerminal(["auth", "switch"], choose);
    expect({ status, active: account.stored().active }).toEqual({ status: 0, active: "two" });
    expect(raw).not.toContain("CANARY");
  });

  it.each([
    ["a choice", "\u001b[B\r", 0, "two"],
    ["Ctrl-D", "\u0004", 130, "one"],
  ])("continues the question after Ctrl-Z, up to %s", async (_, typed, code, active) => {
    const leave: Step = {
      when: /pid (\d+)\.[\s\S]*two {2}http/,
      type: async ([, pid = ""], send) => {
        send("\u001a");
        await expect.poll(() => readsKeys(pid)).toBe(false);
        // The shell's fg does this.
        process.kill(Number(pid), "SIGCONT");
        await expect.poll(() => readsKeys(pid)).toBe(true);
        return typed;
      },
    };
    const { status } = await inTerminal(["auth", "switch"], [leave]);
    expect({ status, active: account.stored().active }).toEqual({ status: code, active });
  });

  it.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("changes nothing after %s", async (_, type) => {
    const { status } = await inTerminal(["auth", "switch"], [{ when: /two {2}http/, type }]);
    expect({ status, active: account.stored().active }).toEqual({ status: 130, active: "one" });
  });
});

it("deletes nothing after Ctrl-D at the question, and exits with 130", async () => {
  const { engine, baseUrl } = account.server;
  const { id } = await engine.seed.project();
  const env = { MGMT_TOKEN: await engine.tokens.user(), MGMT_BASE_URL: baseUrl };
  const leave = [{ when: /to confirm:/, type: "\u0004" }];
  expect((await inTerminal(["projects", "delete", id], leave, env)).status).toBe(130);
  expect(engine.rows.projects.get(id)).toBeDefined();
});

describe("--wait-approval on a terminal", () => {
  it("shows a spinner with the time left below the address, and removes it", async () => {
    const { engine, baseUrl } = account.server;
    const { id } = await engine.seed.project();
    const approve: Step = {
      when: /approval (apr_\w+): http[\s\S]*pending, 1[45]:\d\d left/,
      type: async ([, approval = ""]) => {
        await engine.approvals.approve(approval);
        return "";
      },
    };
    const words = ["projects", "delete", id, "--yes", "--wait-approval"];
    const env = { MGMT_TOKEN: await engine.tokens.agent(), MGMT_BASE_URL: baseUrl };
    const { status, raw } = await inTerminal(words, [approve], env);
    expect(status).toBe(0);
    expect(raw).toMatch(/left\r\u001b\[KApproval apr_\w+ is approved\./);
    expect(engine.rows.projects.get(id)).toBeUndefined();
  });

  it("cuts the spinner at the width of the terminal", async () => {
    const { engine, baseUrl } = account.server;
    const { id } = await engine.seed.project();
    const deny: Step = {
      when: /. pending, 1[45]\s/,
      type: async () => {
        for (const approval of engine.approvals.list()) await engine.approvals.deny(approval.id);
        return "";
      },
    };
    const words = ["projects", "delete", id, "--yes", "--wait-approval"];
    const env = { MGMT_TOKEN: await engine.tokens.agent(), MGMT_BASE_URL: baseUrl };
    const { status, screen } = await inTerminal(words, [deny], env, 14);
    expect(status).toBe(5);
    expect(screen).not.toMatch(/pending, 1[45]:/);
  });
});
