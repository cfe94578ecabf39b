import { type WorkerMock, setupMockWorker } from "@mgmt/mock/browser";
import { showPanel } from "./panel.js";

/** Starts the mock, which keeps its data in this tab, and shows the panel that controls it. */
export const startMock = async (): Promise<WorkerMock> => {
  const mock = setupMockWorker({
    persist: "session",
    // Long enough to see what the page shows meanwhile.
    settings: { lifecycle: { provisioning: 2_000 } },
  });
  await mock.start();
  showPanel(mock);
  return mock;
};
