export { type ListenOptions, Mock, type MockOptions, setupMock } from "./faces/mock.js";
export { ControlError } from "./control/control-error.js";
export type { Residents } from "./control/initial-world.js";
export type { Time } from "./control/clock-control.js";
export type {
  ClientRegistration,
  ConsentOptions,
  Consented,
  RegisteredClient,
  RequestedConsent,
} from "./control/oauth-control.js";
export { cliClient, sampleClient } from "./oauth/resident-clients.js";
export type {
  AgentTokenOptions,
  ServiceTokenOptions,
  TokenOptions,
  UserTokenOptions,
} from "./control/token-mint.js";
export { ApiError, type Issue } from "./engine/api-error.js";
export type { Fault, InstalledFault } from "./engine/faults.js";
export type { LoggedRequest } from "./engine/request-log.js";
export type { PartialSettings } from "./engine/merge-settings.js";
export type { Settings } from "./engine/settings.js";
export type { Snapshot } from "./engine/snapshot.js";
export type { OperationId } from "./generated/operations.js";
export type * from "./store/rows.js";
