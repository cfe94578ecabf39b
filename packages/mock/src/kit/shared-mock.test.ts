import { AsyncResource } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import { FaultNotStruckError } from "@mgmt/mock";
import { isReceiving } from "../interception/interception.js";
import { type KitOptions, resolveKitOptions } from "./kit-options.js";
import {
  closeOwnMock,
  enterTest,
  leaveTest,
  openOwnMock,
  SharedMock,
  type TestTenant,
} from "./shared-mock.js";
import { WatchedTest } from "./watched-test.js";

/** Runs code in the asynchronous context of a test. */
const within = <T>(test: WatchedTest, work: () => T): T =>
  new AsyncResource("test").runInAsyncScope(() => {
    enterTest(test);
    return work();
  });

/** Sends a request with or without the credential of a tenant. */
const send = async ({ mock, tokens }: TestTenant, isAuthorized: boolean): Promise<void> => {
  const headers = isAuthorized ? { authorization: `Bearer ${await tokens.user()}` } : {};
  await mock.fetch(`${mock.baseUrl}/v1/me`, { headers });
};

const counts = (...tests: readonly WatchedTest[]): number[] => tests.map(({ requests }) => requests.length);

describe("a mock that tests share", () => {
  const open = async (options: KitOptions = {}) => {
    const shared = new SharedMock(resolveKitOptions(options));
    const [first, second] = [new WatchedTest("first"), new WatchedTest("second")];
    const [firstTenant, secondTenant] = [await shared.join(first), await shared.join(second)];
    const close = async (): Promise<void> => {
      for (const test of [first, second]) {
        leaveTest(test);
        await shared.leave(test);
      }
    };
    return { shared, first, second, firstTenant, secondTenant, close };
  };

  it("counts a request for the tenant of its credential, in any context", async () => {
    const { first, second, firstTenant, close } = await open();
    await within(second, () => send(firstTenant, true));
    expect(counts(first, second)).toEqual([1, 0]);
    await close();
  });

  it("counts a request without a credential for the test that has sent it", async () => {
    const { first, second, firstTenant, secondTenant, close } = await open();
    await within(second, () => send(firstTenant, false));
    expect(counts(first, second)).toEqual([0, 1]);
    await secondTenant.fetch(`${secondTenant.baseUrl}/v1/me`);
    expect(counts(first, second)).toEqual([0, 2]);
    await close();
  });

  it("counts a request of unknown origin for every test", async () => {
    const { first, second, firstTenant, close } = await open();
    await send(firstTenant, false);
    expect(counts(first, second)).toEqual([1, 1]);
    await close();
  });

  it("counts no request of a test that does not use it", async () => {
    const { first, second, firstTenant, close } = await open();
    const stranger = new WatchedTest("stranger");
    await within(stranger, () => send(firstTenant, false));
    leaveTest(stranger);
    expect(counts(first, second, stranger)).toEqual([0, 0, 0]);
    await close();
  });

  it.each([true, false])(
    "counts no request for a test that has ended, credential: %s",
    async (isAuthorized) => {
      const { shared, first, second, firstTenant, close } = await open();
      await within(first, async () => {
        leaveTest(first);
        await shared.leave(first);
        await send(firstTenant, isAuthorized);
      });
      expect(counts(first, second)).toEqual([0, 1]);
      await close();
    },
  );

  it("intercepts requests until its last test ends, and then removes its faults", async () => {
    const { shared, first, second, firstTenant } = await open();
    const { mock } = firstTenant;
    mock.faults.add({ operation: "me.get", status: 503 });
    await shared.leave(first);
    expect(isReceiving(mock)).toBe(true);
    await shared.leave(second);
    expect(isReceiving(mock)).toBe(false);
    expect(() => mock.faults.assertStruck()).not.toThrow();
  });

  it.each([
    ["its last test that passes", true, false, FaultNotStruckError.name],
    ["no test that has failed for another reason", true, true, "MockError"],
    ["no test without the option", false, false, undefined],
  ])("lets a fault that strikes nothing fail %s", async (_, assertFaultsStruck, hasFailed, name) => {
    const { first, second, firstTenant, close } = await open({ assertFaultsStruck });
    firstTenant.mock.faults.add({ operation: "me.get", status: 503 });
    await close();
    expect(first.errorAtEnd(false)).toBeUndefined();
    expect(second.errorAtEnd(hasFailed)?.name).toBe(name);
  });
});

describe("a mock of one test", () => {
  it("counts its requests, also from unknown contexts, until it is closed", async () => {
    const settings = resolveKitOptions({ assertFaultsStruck: true });
    const test = new WatchedTest("own");
    const mock = openOwnMock(test, settings);
    const other = openOwnMock(new WatchedTest("other"), settings);
    expect(mock.baseUrl).not.toBe(other.baseUrl);
    await mock.fetch(`${mock.baseUrl}/v1/me`);
    expect(counts(test)).toEqual([1]);
    mock.faults.add({ operation: "me.get", status: 503 });
    await closeOwnMock(mock, test, settings);
    await closeOwnMock(other, new WatchedTest("other"), settings);
    expect(isReceiving(mock)).toBe(false);
    expect(test.errorAtEnd(false)).toBeInstanceOf(FaultNotStruckError);
  });

  it("adds the advice for a frozen clock to the report", async () => {
    const settings = resolveKitOptions({ deterministic: "own" });
    const test = new WatchedTest("own");
    const mock = openOwnMock(test, settings);
    for (let poll = 0; poll < 3; poll += 1) await mock.fetch(`${mock.baseUrl}/v1/me`);
    await closeOwnMock(mock, test, settings);
    expect(test.describe()).toContain("The clock is frozen");
  });
});
