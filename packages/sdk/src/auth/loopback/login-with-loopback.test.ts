import { describe, expect, it } from "vitest";
import { type TokenStore, memoryStore } from "@mgmt/sdk/auth";
import { loginWithLoopback } from "@mgmt/sdk/auth/node";
import { thrown } from "../../../test/server.js";
import { until } from "../../../test/auth/authenticator-setup.js";
import {
  ask,
  begin,
  expectClosed,
  mock,
  oauth,
  setupLoopback,
  watchedStore,
} from "../../../test/auth/loopback-login.js";

setupLoopback();

describe("the timeout and the signal of loginWithLoopback", () => {
  it("ends when nobody logs in", async () => {
    const { login, redirectUri } = await begin({ userTimeoutMs: 1_500 });
    expect(await thrown(login)).toMatchObject({
      code: "auth:timeout",
      message: "The login was not finished within 1500 ms",
    });
    await expectClosed(redirectUri);
  });

  it.each([0, -1, Number.NaN])("refuses to wait for %d ms", async (userTimeoutMs) => {
    expect(await thrown(begin({ userTimeoutMs }))).toMatchObject({ argument: "userTimeoutMs" });
  });

  it("ends with the reason of its signal: before it starts, while it waits, while the server is slow", async () => {
    const reason = new Error("The user left.");
    let opened = 0;
    const open = (): void => void (opened += 1);
    const aborted = loginWithLoopback({ ...oauth, open, signal: AbortSignal.abort(reason) });
    expect(await thrown(aborted)).toBe(reason);
    expect(opened).toBe(0);
    for (const isCalled of [false, true]) {
      mock.faults.add({ operation: "oauth.token", latency: 60_000, times: 1 });
      const controller = new AbortController();
      const { store, taken } = watchedStore();
      const { login, allow, redirectUri } = await begin({ store, signal: controller.signal });
      const failed = thrown(login);
      const page = isCalled ? ask(await allow()) : undefined;
      if (isCalled) await taken;
      controller.abort(reason);
      expect(await failed).toBe(reason);
      expect((await page)?.text ?? "The login was stopped").toContain("The login was stopped");
      expect((await page)?.text ?? "").not.toContain(reason.message);
      await expectClosed(redirectUri);
    }
  });

  it.each(["probe", "write"] as const)(
    "ends with the reason of its signal also while the %s of its store never ends, and says so on the page",
    async (name) => {
      const reason = new Error("The user left.");
      const controller = new AbortController();
      let probes = 0;
      let isHanging = false;
      const hang = (): Promise<never> => {
        isHanging = true;
        return new Promise(() => undefined);
      };
      const probe = async (): Promise<void> => {
        if ((probes += 1) > 1) await hang();
      };
      const store: TokenStore = { ...memoryStore(), ...(name === "probe" ? { probe } : { write: hang }) };
      const { login, allow, redirectUri } = await begin({ store, signal: controller.signal });
      const failed = thrown(login);
      const page = ask(await allow());
      await until(() => isHanging);
      controller.abort(reason);
      expect(await failed).toBe(reason);
      expect((await page).text).toContain("<h1>The login was stopped</h1>");
      await expectClosed(redirectUri);
    },
  );

  it("ends with the reason of its signal while its store is not ready yet, before the browser opens", async () => {
    const reason = new Error("The user left.");
    const controller = new AbortController();
    const probe = (): Promise<never> => {
      setTimeout(() => controller.abort(reason), 0);
      return new Promise(() => undefined);
    };
    let opened = 0;
    const open = (): void => void (opened += 1);
    const { signal } = controller;
    const login = loginWithLoopback({ ...oauth, open, signal, store: { ...memoryStore(), probe } });
    expect(await thrown(login)).toBe(reason);
    expect(opened).toBe(0);
  });
});
