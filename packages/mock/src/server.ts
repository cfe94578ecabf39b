export type * from "@mgmt/engine";
export {
  RequestError,
  ControlError,
  ReferenceEngine,
  assertSnapshot,
  cliClient,
  controlSecretHeader,
  createServer,
  defaultSettings,
  memoryDatabaseEngine,
  operations,
  requestListener,
  sampleClient,
} from "@mgmt/engine";
