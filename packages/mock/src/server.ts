export type * from "@mgmt/engine";
export {
  RequestError,
  ControlError,
  ReferenceEngine,
  cliClient,
  controlDocument,
  controlSecretHeader,
  createServer,
  defaultSettings,
  memoryDatabaseEngine,
  operations,
  readSnapshot,
  requestListener,
  sampleClient,
} from "@mgmt/engine";
