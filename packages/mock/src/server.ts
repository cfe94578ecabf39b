export { type EngineOptions, ReferenceEngine } from "./control/reference-engine.js";
export type {
  ClientRegistration,
  ConsentOptions,
  Consented,
  RegisteredClient,
  RequestedConsent,
} from "./control/oauth-control.js";
export { cliClient, sampleClient } from "./oauth/resident-clients.js";
export { ControlError } from "./control/control-error.js";
export type { DatabaseAddress, DatabaseEngine, Credential } from "./engine/database-engine.js";
export { ApiError } from "./engine/api-error.js";
export type { EngineRequest, EngineResponse } from "./engine/exchange.js";
export { memoryDatabaseEngine } from "./engine/memory-database-engine.js";
export type { LoggedRequest } from "./engine/request-log.js";
export type { PartialSettings } from "./engine/merge-settings.js";
export { type Settings, defaultSettings } from "./engine/settings.js";
export { type Snapshot, assertSnapshot } from "./engine/snapshot.js";
export { type OperationId, operations } from "./generated/operations.js";
export { controlSecretHeader } from "./faces/control-face.js";
export {
  type RunningServer,
  type ServerAddress,
  type ServerOptions,
  createServer,
  requestListener,
} from "./faces/http-server.js";
export type * from "./store/rows.js";
