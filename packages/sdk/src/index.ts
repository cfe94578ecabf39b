export { ApiPromise } from "./request/api-promise.js";
export type { Attempt } from "./errors/attempt.js";
export type { ApiResponse, WithResponse } from "./request/api-promise.js";
export type { BareClient } from "./bare-client.js";
export type { ResourceClass } from "./methods/core.js";
export { createClient } from "./client.js";
export type { MgmtClient } from "./client.js";
export { connectionString } from "./connection-string.js";
export type {
  ConnectableConnection,
  ConnectionFormat,
  ConnectionStringOptions,
} from "./connection-string.js";
export type {
  ConnectOptions,
  ConnectedDatabase,
  ConnectedProject,
  EnsuredDatabase,
  EnsuredProject,
} from "./connect/connect-result.js";
export type {
  CredentialsIf,
  DryRunOptions,
  EnsureOptions,
  EnsurePlan,
  EnsureRequestOptions,
  EnsureResult,
  MaybeDryRunOptions,
} from "./ensure/ensure-result.js";
export { ApiError, InvalidResponseError } from "./errors/api-error.js";
export type { ApiErrorInit, HttpStatusError } from "./errors/api-error.js";
export { registerApiError } from "./errors/register-api-error.js";
export { isApiError } from "./errors/is-api-error.js";
export type { KnownApiError, UnlistedCode } from "./errors/is-api-error.js";
export { isUnsent } from "./request/unsent.js";
export { ConnectionError, InvalidArgumentError, TimeoutError } from "./errors/local-errors.js";
export { PagingError } from "./errors/paging-error.js";
export type { PagingFault } from "./errors/paging-error.js";
export { MgmtError } from "./errors/mgmt-error.js";
export type { NotLoadedError } from "./errors/not-loaded.js";
export type { Advice, MgmtErrorOptions } from "./errors/mgmt-error.js";
export { TokenError } from "./errors/token-error.js";
export type { ConnectError } from "./errors/connect-errors.js";
export type { ConnectResume, ResumeOptions } from "./errors/connect-resume.js";
export { WaitError, WaitFailedError, WaitTimeoutError } from "./errors/wait-errors.js";
export type {
  AwaitedKind,
  AwaitedResource,
  PromotionState,
  TransferState,
  WaitErrorInit,
  WaitFailedCode,
} from "./errors/wait-errors.js";
export type { CommonErrorCode, ErrorCodesByMethod, PagedMethod } from "./errors/generated/error-codes.js";
export * from "./errors/generated/errors.js";
export { operationTable } from "./generated/operations.js";
export type { OperationId, OperationInfo } from "./generated/operations.js";
export * from "./resources/generated/resources.js";
export type { components, operations, paths } from "./generated/schema.js";
export type * from "./generated/types.js";
export type { HttpClient } from "./http.js";
export type { ConnectMethodError, LocalError, MethodError } from "./methods/method-error.js";
export { createPartialClient } from "./partial-client.js";
export type { PartialClient } from "./partial-client.js";
export { CursorPages } from "./request/paging.js";
export type { CursorPage, ListCall, WholeList } from "./request/paging.js";
export type { Call, ListOptions, RequestOptions, SendOptions, Token, TokenRequest } from "./request/call.js";
export type { ClientOptions } from "./request/client-options.js";
export type { Timers } from "./deadlines/timers.js";
export type { Middleware, Next, OutgoingRequest } from "./transport/middleware.js";
export type { AttemptTrace, CallTrace } from "./request/traces.js";
export type { RetryEvent } from "./request/retry-event.js";
export { safely } from "./methods/safe.js";
export type { Result, ResultWithResponse, Safe, SafePromise } from "./methods/safe.js";
export type { Fetch, FetchInit, FetchResponse } from "./transport/fetch.js";
export type { Reading, Transport, TransportRequest, TransportResponse } from "./transport/transport.js";
export type {
  ApprovalProgress,
  ApprovalWaitOptions,
  PollOptions,
  WaitProgress,
} from "./request/approval-wait-options.js";
export type { WaitOptions } from "./wait/wait-options.js";
