import { startLogin } from "@mgmt/sdk/auth";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pageMocks } from "./page-mocks.js";
import { WorkerMock, type WorkerMockOptions } from "./worker-mock.js";
import { FakePage } from "../../test/browser/fake-page.js";

describe("a login at a mock in a page", () => {
  const clientId = "itgr_pagelogin";
  const redirectUri = "https://app.test/shop/";
  let page: FakePage;
  let defects: unknown[];
  beforeEach(() => {
    page = new FakePage();
    page.open();
    defects = [];
  });
  afterEach(async () => {
    await pageMocks.running?.stop();
    page.close();
  });

  const start = async (options: WorkerMockOptions = { persist: "session" }): Promise<WorkerMock> => {
    const onDefect = (error: unknown) => defects.push(error);
    const mock = new WorkerMock({ ...options, onDefect }, page.createWorker);
    await mock.start();
    await mock.oauth.ensurePublicClient({ id: clientId, redirectUris: [redirectUri] });
    return mock;
  };
  const begin = ({ authUrl }: WorkerMock) => startLogin({ authUrl, clientId, redirectUri });
  /** Leaves for a page of the authorization server, and returns what is shown then. */
  const follow = async (url: string): Promise<string> => {
    const next = page.nextPage();
    expect(page.navigate(url)).toBe("stays");
    return next;
  };

  it("shows the authorization page in place of the app", async () => {
    const mock = await start();
    const { url } = await begin(mock);
    expect(await follow(url)).toContain("<h1>Sign in</h1>");
    expect(page.network).toEqual([]);
    expect(defects).toEqual([]);
  });

  it("shows what a fault responds with, and how a request of the page is not valid", async () => {
    const mock = await start();
    const { url } = await begin(mock);
    mock.faults.add({ operation: "oauth.authorize", status: 503, times: 1 });
    expect(await follow(url)).toContain("An installed fault");
    mock.faults.add({ operation: "oauth.authorize", drop: "before", times: 1 });
    expect(await follow(url)).toBe("The connection was closed.");
    expect(await follow(`${mock.authUrl}/authorize`)).toContain("This sign-in link does not work");
    expect(defects).toEqual([]);
  });
});
