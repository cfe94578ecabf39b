export {
  type StartOptions,
  WorkerMock,
  type WorkerMockOptions,
  setupMockWorker,
} from "./browser/worker-mock.js";
export type { Persistence } from "./browser/kept-state.js";
export { MockError, type MockErrorCode } from "./errors/mock-error.js";
export { ControlError, FaultNotStruckError, RequestError, cliClient, sampleClient } from "@mgmt/engine";
