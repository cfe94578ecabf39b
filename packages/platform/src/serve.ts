export { serveSettingsSchema, type ServeSettings } from "./serve/config-schema.js";
export { readServeConfig, type ConfigSources } from "./serve/read-config.js";
export { startServe, type RunningService } from "./serve/start-serve.js";
export {
  initializeService,
  migrateService,
  readServiceStatus,
  runAsOperator,
  type AgentToken,
  type InitializedService,
  type ListedToken,
  type Operator,
  type ServiceStatus,
  type WorkspaceWithMembers,
} from "./serve/operator.js";
export { ServeError, type ServeErrorCode } from "./errors/serve-error.js";
export { checkService, type ServiceCheck } from "./serve/check-service.js";
export type { ClusterErrorCode } from "@mgmt/cluster/policy/cluster-error";
export type { StoredJob } from "@mgmt/engine/internal";
