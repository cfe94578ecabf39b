export type * from "@mgmt/engine";
export { type RunningServer, ServedMock, createServer } from "./mocks/served-mock.js";
export {
  RequestError,
  ControlError,
  MemoryServer,
  cliClient,
  controlDocument,
  controlSecretHeader,
  defaultSettings,
  memoryDatabaseEngine,
  operations,
  readSnapshot,
  requestListener,
  sampleClient,
} from "@mgmt/engine";
