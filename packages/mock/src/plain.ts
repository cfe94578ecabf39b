// Replaces index.ts outside of Node.js. index.ts declares the types of both.
export { Mock, setupMock } from "./mocks/plain-mock.js";
export { MockError } from "./errors/mock-error.js";
export { FaultNotStruckError, RequestError, ControlError, cliClient, sampleClient } from "@mgmt/engine";
