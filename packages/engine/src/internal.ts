/** Exports for the other packages of this repository only. They may change in any version. */
export { assertEngineOptions } from "./server/engine-options.js";
export type { StoredServerOptions } from "./server/stored-backend.js";
export { StoredServer } from "./server/stored-server.js";
export type { StoredJob } from "./jobs/stored-job.js";
export { buildTables } from "./server/snapshot-tables.js";
export { LockLostError } from "./context/database-engine.js";
export { serverRowId, serverTables } from "./context/server-rows.js";
export { type SignIn, createOperatorSignIn } from "./oauth/sign-in.js";
export { oauthPaths } from "./oauth/metadata.js";
export { findHeadSizeRejection } from "./http/http-rejection.js";
export { FairSemaphore } from "./jobs/fair-semaphore.js";
export { findOperation, maskPath } from "./request/route.js";
export {
  type TransactionOptions,
  type StorageAdapter,
  ConflictError,
  type TableChanges,
  type Transaction,
} from "./store/storage-adapter.js";
export { type CollectionName, type Table, collectionNames, collections } from "./store/collections.js";
export type { KeyValue } from "./store/keys.js";
export { MemoryStore, type StoreState } from "./store/memory-store.js";
export type { RecordStore, TableReplacement, Sessions, TableStates, WorkLock } from "./store/records.js";
export { type ReplayOptions, type CallbackRun, runInTransaction as replay } from "./store/replay.js";
export type * from "./store/rows.js";
export type { Lookup, Store } from "./store/store.js";
export type { LoadResult, LoadedRow, Preload } from "./store/preload.js";
export { assertKnownOptions } from "./values/known-options.js";
export { type OptionSchemas, assertOptions } from "./values/option-schema.js";
export { encodeFirstHalf } from "./values/message.js";
export { isHarmlessField, isSecretField } from "@mgmt/internal/generated/field-names";
export { secretFields } from "@mgmt/internal/generated/secret-fields";
export { redactData } from "@mgmt/internal/redaction/redact";
export { escapeUnsafe } from "@mgmt/internal/text/unsafe-characters";
