export type { EngineOptions } from "./server/engine-options.js";
export { MemoryServer } from "./server/memory-server.js";
export type {
  ClientRegistration,
  ConsentOptions,
  ConsentResult,
  PublicClient,
  RegisteredClient,
  AuthorizationRequestOptions,
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
  OutcomeUnknownError,
} from "./context/database-engine.js";
export { RequestError, type Issue } from "./values/request-error.js";
export type { EngineRequest, EngineResponse } from "./values/message.js";
export { createMemoryDatabaseEngine } from "./context/memory-database-engine.js";
export type { LoggedRequest } from "./request/request-log.js";
export type { PartialSettings } from "./values/merge-settings.js";
export {
  type ErrorCodes,
  type RateLimitSettings,
  type Settings,
  type UnknownFields,
  defaultSettings,
} from "./values/settings.js";
export { type Snapshot, parseSnapshot } from "./server/snapshot.js";
export { type OperationId, operations } from "./generated/operations.js";
export type { Server } from "./server/server.js";
export type { ResourceCollection, ResourceFilter, ResourceView } from "./control/resource-view.js";
export type {
  App,
  Backup,
  Branch,
  Client,
  Connection,
  ConnectionWithSecrets,
  CreatedDeployment,
  Database,
  DatabaseSource,
  DatabaseStatus,
  DatabaseWithSecrets,
  DeploymentDetails,
  DeploymentStatus,
  Integration,
  MeUser,
  Project,
  ProjectWithDatabase,
  ServiceToken,
  ServiceTokenWithValue,
  Workspace,
} from "./generated/schemas.js";
export type { Defaults } from "./control/defaults.js";
export type { RequestedApproval } from "./control/serialize-resources.js";
export type { ApprovalsControl } from "./control/approvals-control.js";
export type { ClockControl } from "./control/clock-control.js";
export type { DataPlaneControl } from "./control/data-plane-control.js";
export type { Faults } from "./control/faults.js";
export type { OAuthControl } from "./control/oauth-control.js";
export type { Seeder } from "./control/seeder.js";
export type { StateControl } from "./control/state-control.js";
export type { TokenMint } from "./control/token-mint.js";
export type { Tenant } from "./control/tenant.js";
export type { Time } from "./control/clock-control.js";
export type {
  AgentTokenOptions,
  ServiceTokenOptions,
  TokenOptions,
  UserTokenOptions,
} from "./control/token-mint.js";
export { type Fault, FaultNotStruckError, type InstalledFault } from "./context/fault.js";
