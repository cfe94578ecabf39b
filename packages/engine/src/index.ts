export { type EngineOptions, assertEngineOptions } from "./server/engine-options.js";
export { MemoryServer } from "./server/memory-server.js";
export type { StoredServerOptions } from "./server/stored-backend.js";
export { StoredServer } from "./server/stored-server.js";
export { tablesOf } from "./server/stored-snapshot.js";
export type {
  ClientRegistration,
  ConsentOptions,
  Consented,
  PublicClient,
  RegisteredClient,
  RequestedConsent,
} from "./control/oauth-control.js";
export { cliClient, sampleClient } from "./oauth/default-clients.js";
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
} from "./world/database-engine.js";
export { assertKnownOptions } from "./values/known-options.js";
export { RequestError, type Issue } from "./values/request-error.js";
export { type EngineRequest, type EngineResponse, halfOf } from "./values/message.js";
export { memoryDatabaseEngine } from "./world/memory-database-engine.js";
export type { LoggedRequest } from "./request/request-log.js";
export type { PartialSettings } from "./values/merge-settings.js";
export { type ErrorCodes, type Settings, type UnknownFields, defaultSettings } from "./values/settings.js";
export { type Snapshot, readSnapshot } from "./server/snapshot.js";
export { type OperationId, operations } from "./generated/operations.js";
export type { Server } from "./server/server.js";
export type * from "./store/rows.js";
export { FairTurns } from "./jobs/fair-turns.js";
export { KeyedMutex } from "./values/keyed-mutex.js";
export { redactData } from "@mgmt/internal/redaction/redact";
export { isHarmlessField, isSecretField, secretFields } from "@mgmt/internal/generated/secret-fields";
export { escapeUnsafe } from "@mgmt/internal/text/unsafe-characters";
export { operationAt, shownPath } from "./request/route.js";
export type { DefaultRows } from "./control/default-rows.js";
export type { Tenant } from "./control/tenant.js";
export type { Time } from "./control/clock-control.js";
export type {
  AgentTokenOptions,
  ServiceTokenOptions,
  TokenOptions,
  UserTokenOptions,
} from "./control/token-mint.js";
export { type Fault, FaultNotStruckError, type InstalledFault } from "./world/faults.js";
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
export { serverTables } from "./world/server-rows.js";
export type { Lookup, Store } from "./store/store.js";
export type { Found, Loaded, Want } from "./store/want.js";
