/** A mock that runs in this page. */
export interface RunningMock {
  /** Stores the latest changes, so that the next mock finds them. */
  saveState(): void;
  stop(): Promise<void>;
}

interface PageMocks {
  running?: RunningMock | undefined;
  /** Settles when the work that the mocks have begun is done. */
  queue: Promise<unknown>;
}

const pageMocksKey = Symbol.for("@mgmt/mock/browser");
const pageGlobals = globalThis as { [pageMocksKey]?: PageMocks };

/** State that all mocks of this page share, including mocks of other copies of this module, which a hot reload leaves behind. */
export const pageMocks: PageMocks = (pageGlobals[pageMocksKey] ??= { queue: Promise.resolve() });

/** Does something when the mocks of this page have finished their earlier work. */
export const runInPageQueue = <T>(callback: () => Promise<T>): Promise<T> => {
  const completion = pageMocks.queue.then(callback);
  pageMocks.queue = completion.catch(() => undefined);
  return completion;
};
