export { serveSettingsSchema, type ServeSettings } from "./serve/config-schema.js";
export { readServeConfig, type ConfigSources } from "./serve/read-config.js";
export { startServe, type RunningService } from "./serve/start-serve.js";
export {
  initializeService,
  migrateService,
  readServiceStatus,
  reencryptService,
  runAsOperator,
  type AgentToken,
  type InitializedService,
  type ListedToken,
  type Operator,
  type ReencryptedSecrets,
  type ServiceJob,
  type ServiceStatus,
  type WorkspaceWithMembers,
} from "./serve/operator.js";
export { ServeError, type ServiceErrorCode } from "./errors/serve-error.js";
export { checkService, type ServiceCheck } from "./serve/check-service.js";
