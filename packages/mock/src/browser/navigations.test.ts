import { startLogin } from "@mgmt/sdk/auth";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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

  it("leaves for other pages of the authorization server, and for all of them after the mock has stopped", async () => {
    const mock = await start({ persist: "session", settings: { authUrl: "https://Login.mgmt.test" } });
    const { url } = await begin(mock);
    for (const other of ["/authorized", "/", "/app/authorize", "/token"])
      expect(page.navigate(`https://login.mgmt.test${other}`)).toBe("leaves");
    expect(await follow(new URL(`${url}#top`).href)).toContain("<h1>Sign in</h1>");
    await mock.stop();
    expect(page.navigate(url)).toBe("leaves");
  });

  it("loads the app again when the visitor goes back from the authorization page", async () => {
    const mock = await start();
    const { url } = await begin(mock);
    expect(page.navigate("http://app.test/cart", { isBack: true })).toBe("leaves");
    await follow(url);
    expect(page.navigate("http://app.test/cart")).toBe("leaves");
    expect(page.navigate("http://app.test/cart", { isBack: true })).toBe("responds");
  });

  it("leaves the app its navigations when the authorization page cannot be shown", async () => {
    const mock = await start();
    const { url } = await begin(mock);
    vi.stubGlobal("CSSStyleSheet", undefined);
    expect(page.navigate(url)).toBe("stays");
    await vi.waitFor(() => expect(defects).toEqual([expect.any(TypeError)]));
    expect(page.navigate("http://app.test/cart", { isBack: true })).toBe("leaves");
  });

  it("keeps the page, and says why, when the page would forget the login", async () => {
    const mock = await start({});
    const { url } = await begin(mock);
    expect(page.navigate(url)).toBe("stays");
    expect(defects).toEqual([
      expect.objectContaining({
        code: "mock:login_not_kept",
        message: expect.stringContaining('Pass setupMockWorker({ persist: "session" })'),
      }),
    ]);
  });

  it("says so once, as soon as a login begins, when the browser has no Navigation API", async () => {
    page.open({ hasNavigation: false });
    const mock = await start();
    expect(defects).toEqual([]);
    await begin(mock);
    await begin(mock);
    expect(defects).toEqual([
      expect.objectContaining({
        code: "mock:login_unsupported",
        message: expect.stringMatching(
          /Navigation API.+create clients with token: \(\) => mock\.tokens\.user/,
        ),
      }),
    ]);
  });
});
