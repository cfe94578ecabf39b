export { ApiPromise } from "./api-promise.js";
export type { ApiResponse, Attempt, WithResponse } from "./api-promise.js";
export type { BareClient, ResourceClass } from "./bare-client.js";
export { createClient } from "./client.js";
export type { MgmtClient } from "./client.js";
export type { CredentialsIf, EnsureOptions, EnsureResult } from "./ensure/ensure-result.js";
export { ApiError, InvalidResponseError } from "./errors/api-error.js";
export type { ApiErrorInit } from "./errors/api-error.js";
export { registerApiError } from "./errors/register-api-error.js";
export { isApiError } from "./errors/is-api-error.js";
export type { UnlistedCode } from "./errors/is-api-error.js";
export { isUnsent } from "./request/retry-policy.js";
export { ConnectionError, InvalidArgumentError, TimeoutError } from "./errors/local-errors.js";
export { PagingError } from "./errors/paging-error.js";
export type { PagingFault } from "./errors/paging-error.js";
export { MgmtError } from "./errors/mgmt-error.js";
export type { Advice, MgmtErrorOptions } from "./errors/mgmt-error.js";
export { TokenError } from "./errors/token-error.js";
export { WaitError, WaitFailedError, WaitTimeoutError } from "./errors/wait-errors.js";
export type {
  AwaitedKind,
  AwaitedResource,
  PromotionState,
  TransferState,
  WaitErrorInit,
  WaitFailedCode,
} from "./errors/wait-errors.js";
export * from "./generated/errors.js";
export { operationTable } from "./generated/operations.js";
export type { OperationId, OperationInfo } from "./generated/operations.js";
export * from "./generated/resources.js";
export type { components, operations, paths } from "./generated/schema.js";
export type * from "./generated/types.js";
export type { HttpClient } from "./http.js";
export { createPartialClient } from "./partial-client.js";
export type { PartialClient } from "./partial-client.js";
export { CursorPages } from "./paging.js";
export type { CursorPage, ListCall } from "./paging.js";
export type { Call, ListOptions, RequestOptions, SendOptions, Token, TokenRequest } from "./request/call.js";
export type { ClientOptions } from "./request/client-options.js";
export type { Middleware, Next, OutgoingRequest } from "./request/middleware.js";
export { safely } from "./safe.js";
export type { Result, Safe } from "./safe.js";
export type { Fetch } from "./transport/fetch-transport.js";
export type { Transport, TransportRequest, TransportResponse } from "./transport/transport.js";
export type { ApprovalProgress, ApprovalWaitOptions, WaitProgress } from "./wait/approval-wait-options.js";
export type { WaitOptions } from "./wait/wait-options.js";
