export type { ListenOptions } from "./interception/listen-options.js";
export type { MockOptions } from "./exchange/mock-server.js";
export { Mock, setupMock } from "./mocks/mock.js";
export type { MswServer } from "./interception/interception.js";
export type { ActiveRecording, RecordOptions, ReplayOptions } from "./record/recordable-server.js";
export type { RecordedExchange, RecordedSeed, Recording } from "./record/recording.js";
export type { OperationParity, ParityDifference } from "./record/replay.js";
export { MockError, type MockErrorCode } from "./errors/mock-error.js";
export { FaultNotStruckError, RequestError, ControlError, cliClient, sampleClient } from "@mgmt/engine";
export type {
  AgentTokenOptions,
  AppRow,
  ApprovalRow,
  AuthorizationCodeRow,
  BackupRow,
  BranchRow,
  ClientRegistration,
  ClientRow,
  ConnectionRow,
  ConsentOptions,
  Consented,
  DatabaseRow,
  DatabaseSource,
  DatabaseStatus,
  DeploymentRow,
  DeploymentStatus,
  ErrorCodes,
  Fault,
  GrantRow,
  InstalledFault,
  IntegrationRow,
  Issue,
  LoggedRequest,
  OperationId,
  PartialSettings,
  ProjectRow,
  RefreshTokenRow,
  RegisteredClient,
  RequestedConsent,
  DefaultRows,
  RevokedTokenRow,
  Row,
  ServiceTokenOptions,
  ServiceTokenRow,
  Settings,
  Snapshot,
  Tenant,
  Time,
  UnknownFields,
  TokenOptions,
  UserRow,
  UserTokenOptions,
  WorkspaceRow,
} from "@mgmt/engine";
