export { setupMockWorker } from "./browser/setup-mock-worker.js";
export type { StartOptions } from "./browser/start-options.js";
export type { WorkerMock, WorkerMockOptions } from "./browser/worker-mock.js";
export type { Persistence } from "./browser/state-storage.js";
export { MockError, type MockErrorCode } from "./errors/mock-error.js";
export { ControlError, FaultNotStruckError, RequestError, cliClient, sampleClient } from "@mgmt/engine";
export type * from "./engine-types.js";
