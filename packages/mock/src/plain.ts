// What index.ts is where Node.js is not. It declares the types of both.
export { Mock, setupMock } from "./mocks/plain-mock.js";
export { MockError } from "./errors/mock-error.js";
export { FaultNotStruckError, RequestError, ControlError, cliClient, sampleClient } from "@mgmt/engine";
