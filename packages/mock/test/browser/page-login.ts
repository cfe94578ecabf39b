import { startLogin } from "@mgmt/sdk/auth";
import { afterEach, beforeEach, expect } from "vitest";
import { pageMocks } from "../../src/browser/page-mocks.js";
import { WorkerMock, type WorkerMockOptions } from "../../src/browser/worker-mock.js";
import { FakePage } from "./fake-page.js";

/** Returns a page that is new for each test, and the steps of a login at a mock in it. Call it outside of tests and hooks. */
export const usePageLogin = () => {
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
  return {
    get page() {
      return page;
    },
    /** Errors that should not happen. */
    get defects() {
      return defects;
    },
    start: async (options: WorkerMockOptions = { persist: "session" }): Promise<WorkerMock> => {
      const onDefect = (error: unknown) => defects.push(error);
      const mock = new WorkerMock({ ...options, onDefect }, page.createWorker);
      await mock.start();
      await mock.oauth.ensurePublicClient({ id: clientId, redirectUris: [redirectUri] });
      return mock;
    },
    begin: ({ authUrl }: WorkerMock) => startLogin({ authUrl, clientId, redirectUri }),
    /** Leaves for a page of the authorization server, and returns the text of that page. */
    follow: async (url: string): Promise<string> => {
      const next = page.nextPage();
      expect(page.navigate(url)).toBe("stays");
      return next;
    },
  };
};
