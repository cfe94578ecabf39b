import type { ConnectionError } from "../errors/local-errors.js";
import type { TokenError } from "../errors/token-error.js";
import type { Attempt } from "../errors/attempt.js";
import type { Transport, TransportResponse } from "../transport/transport.js";
import type { ApprovalWaitOptions } from "./approval-wait-options.js";
import type { Call, ContractCall, RequestOptions, Token } from "./call.js";
import type { Limit } from "../deadlines/limit.js";
import type { ResponseErrors } from "./decode.js";
import type { Message } from "./encode.js";
import type { Middleware, OutgoingRequest } from "../transport/middleware.js";
import type { RetryEvent } from "./retry-event.js";
import type { Timers } from "../deadlines/timers.js";
import type { TracedName } from "./trace-channels.js";
import type { AttemptTrace, CallTrace } from "./traces.js";

/** The options of a client or a call, checked and with their defaults. */
export interface ClientSettings {
  baseUrl: string;
  /** Undefined reads `MGMT_TOKEN`; false sends no credential. */
  token?: Token | false | undefined;
  transport: Transport;
  headers: Record<string, string>;
  timeoutMs: number;
  maxRetries: number;
  maxRetryAfterMs: number;
  onRetry?: (retry: RetryEvent) => unknown;
  middleware: readonly Middleware[];
  debug?: boolean | ((line: string) => unknown) | undefined;
  waitForApproval?: ApprovalWaitOptions | false | undefined;
  timers: Timers;
  /** Each of them ends a call. */
  signals: readonly AbortSignal[];
  /** Options that `areCertainlyValid` could not accept, and nothing else has checked. */
  unchecked: readonly Unchecked[];
  /** Loads the steps that few calls take. */
  load: () => Promise<OnDemandSteps>;
}

/** Options that are not checked yet, and the name of their owner in messages. Those of a call are checked with the call. */
export type Unchecked = [of: "a client" | "withOptions" | undefined, options: object];

/** By what the steps of a client that take time wait and end. */
export type Waiting = Pick<ClientSettings, "timers" | "signals">;

/** The state that the steps between `encodeCall` and `decodeResponse` share. */
export interface CallContext {
  settings: ClientSettings;
  /** Without a credential. */
  message: Message;
  attempts: Attempt[];
  /** Ends the call at the deadline and when the caller aborts. */
  limit: Limit;
  /** When the deadline passes, by `performance.now()` of the timers. */
  deadline: number;
}

/** The result of one attempt: a response of any status, or the error when there was none. */
export type Outcome = TransportResponse | ConnectionError;

/** The steps that few calls take. */
export interface OnDemandSteps extends ResponseErrors {
  assertUnchecked(
    unchecked: readonly Unchecked[],
    call: Call | ContractCall,
    options: RequestOptions | undefined,
  ): void;
  encodingError(call: Call | ContractCall, cause: unknown): unknown;
  intercept(settings: ClientSettings, request: OutgoingRequest, attempt: Attempt): Promise<TransportResponse>;
  rawResponse(response: TransportResponse, signals: readonly AbortSignal[]): Response;
  retry(context: CallContext, sent: Message, outcome: Outcome): Promise<TransportResponse>;
  roundTripWithApproval(
    settings: ClientSettings,
    message: Message,
    attempts: Attempt[],
  ): Promise<TransportResponse>;
  trace<T>(name: TracedName, context: CallTrace | AttemptTrace, work: () => Promise<T>): Promise<T>;
  environmentToken(settings: ClientSettings, unusable: unknown): string;
  tokenFunctionError(cause: unknown): TokenError;
}
