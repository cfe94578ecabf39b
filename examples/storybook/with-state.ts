import { type WorkerMock, setupMockWorker } from "@mgmt/mock/browser";

const mock = setupMockWorker();

/** Returns a loader that starts the mock, empties it, and adds what one story shows. */
export const withState =
  (add: (mock: WorkerMock) => unknown = () => undefined) =>
  async (): Promise<{ mock: WorkerMock }> => {
    // Beside the page of the stories, which may be in a subfolder of its site.
    await mock.start({ workerUrl: "mockServiceWorker.js" });
    await mock.reset();
    await add(mock);
    return { mock };
  };
