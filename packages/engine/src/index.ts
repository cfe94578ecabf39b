export { type EngineOptions, ReferenceEngine, assertEngineOptions } from "./composition/reference-engine.js";
export { StoredEngine, type StoredEngineOptions } from "./composition/stored-engine.js";
export { tablesOf } from "./composition/stored-snapshot.js";
export type {
  ClientRegistration,
  ConsentOptions,
  Consented,
  PublicClient,
  RegisteredClient,
  RequestedConsent,
} from "./control/oauth-control.js";
export { cliClient, sampleClient } from "./oauth/resident-clients.js";
export {
  type ConnectionFault,
  ConnectionFaults,
  type InstalledConnectionFault,
} from "./control/connection-faults.js";
export { ControlError } from "./control/control-error.js";
export type { DataPlane } from "./control/data-plane-control.js";
export {
  type DatabaseAddress,
  type DatabaseCredential,
  type DatabaseEngine,
  DatabaseUnavailableError,
  LockLostError,
  OutcomeUnknownError,
} from "./request/database-engine.js";
export { RequestError, type Issue } from "./request/request-error.js";
export type { EngineRequest, EngineResponse } from "./request/message.js";
export { memoryDatabaseEngine } from "./request/memory-database-engine.js";
export type { LoggedRequest } from "./request/request-log.js";
export type { PartialSettings } from "./request/merge-settings.js";
export { type ErrorCodes, type Settings, type UnknownFields, defaultSettings } from "./request/settings.js";
export { type Snapshot, readSnapshot } from "./composition/snapshot.js";
export { type OperationId, operations } from "./generated/operations.js";
export { controlSecretHeader } from "./http/control-endpoint.js";
export {
  type RunningServer,
  type ServerAddress,
  type ServerOptions,
  createServer,
  requestListener,
} from "./http/http-server.js";
export type { ServedEngine } from "./control/served-engine.js";
export { isLoopbackHost } from "./http/loopback.js";
export type * from "./store/rows.js";
export { FairTurns } from "./time/fair-turns.js";
export { KeyedMutex } from "./time/keyed-mutex.js";
export { controlDocument } from "./control/control-document.js";
export { redactData } from "./generated/redact.js";
export { isHarmlessField, isSecretField, secretFields } from "./generated/secret-fields.js";
export { escapeUnsafe } from "./generated/unsafe-characters.js";
export { operationAt, shownPath } from "./request/route.js";
export { seedResource } from "./control/seed-routes.js";
export type { Residents } from "./control/residents.js";
export type { Tenant } from "./control/tenant.js";
export type { Time } from "./control/clock-control.js";
export type {
  AgentTokenOptions,
  ServiceTokenOptions,
  TokenOptions,
  UserTokenOptions,
} from "./control/token-mint.js";
export type { Fault, InstalledFault } from "./request/faults.js";
export { halfOf } from "./http/http-body.js";
export { refuseLargeHead } from "./http/http-refusal.js";
export {
  type Access,
  type Backing,
  ConflictError,
  type TableChanges,
  type Transaction,
} from "./store/backing.js";
export { type CollectionName, type KeyValue, keys } from "./store/keys.js";
export { MemoryStore, type StoreState } from "./store/memory-store.js";
export { type ReplayOptions, type Run, replay } from "./store/replay.js";
export type { Records, Replacement, Sessions, TableStates, WorkLock } from "./store/records.js";
export { serverTables } from "./request/server-rows.js";
export type { Lookup, Store } from "./store/store.js";
export type { Found, Loaded, Want } from "./store/want.js";
