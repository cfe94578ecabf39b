export type * from "@mgmt/engine";
export { type RunningServer, ServedMock, createServer } from "./mocks/served-mock.js";
export {
  RequestError,
  ControlError,
  MemoryServer,
  cliClient,
  defaultSettings,
  memoryDatabaseEngine,
  operations,
  readSnapshot,
  sampleClient,
} from "@mgmt/engine";
export type { ServerAddress, ServerOptions } from "@mgmt/engine/http";
export { controlDocument, controlSecretHeader, requestListener } from "@mgmt/engine/http";
