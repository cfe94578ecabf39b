import { MockError } from "@mgmt/mock";
import { afterEach, beforeEach, vi } from "vitest";
import { pageMocks } from "../../src/browser/page-mocks.js";
import type { CreateWorker } from "../../src/browser/page-worker.js";
import { WorkerMock, type WorkerMockOptions } from "../../src/browser/worker-mock.js";
import { FakePage } from "./fake-page.js";

/** Opens a page for each test of a file. Returns it, what its mocks report, and a function that sets a mock up. */
export const setupPage = () => {
  let page: FakePage;
  let defects: MockError[];
  beforeEach(() => {
    page = new FakePage();
    page.open();
    defects = [];
  });
  afterEach(async () => {
    vi.useRealTimers();
    await pageMocks.running?.stop();
    page.close();
  });
  const onDefect = (error: unknown): void => {
    if (!(error instanceof MockError)) throw error;
    defects.push(error);
  };
  return {
    get page(): FakePage {
      return page;
    },
    get defects(): MockError[] {
      return defects;
    },
    setup: (options: WorkerMockOptions = {}, createWorker: CreateWorker = page.createWorker): WorkerMock =>
      new WorkerMock({ ...options, onDefect }, createWorker),
  };
};

/** Returns the status of a list of projects that the page requests. */
export const list = async (mock: WorkerMock): Promise<number> => {
  const headers = { authorization: `Bearer ${await mock.tokens.user()}` };
  return (await fetch(`${mock.baseUrl}/v1/projects`, { headers })).status;
};
