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
  /** The call ends when any of them is aborted. */
  signals: readonly AbortSignal[];
  /** Options that the light checks could not accept, and that are not checked yet. */
  unchecked: readonly Unchecked[];
  /** Loads the steps that few calls take. */
  load: () => Promise<OnDemandSteps>;
}

/**
 * Options that have not been checked, and what has them, as messages call it. `of` is undefined for the options of a call, which are
 * checked together with the call.
 */
export type Unchecked = [of: "a client" | "withOptions" | undefined, options: object];

/** The timers by which the steps of a client wait, and the signals that end the wait. */
export type WaitContext = Pick<ClientSettings, "timers" | "signals">;

/** The state that the steps between `encodeCall` and `decodeResponse` share. */
export interface CallContext {
  settings: ClientSettings;
  /** The encoded request, without a credential. */
  message: Message;
  attempts: Attempt[];
  /** Ends the call at the deadline, and when the caller aborts. */
  limit: Limit;
  /** When the deadline passes, in milliseconds of `performance.now()` of the timers. */
  deadline: number;
}

/** The result of one attempt: a response of any status, or the error when there was none. */
export type Outcome = TransportResponse | ConnectionError;

/** The steps that few calls take, in a module that is loaded when a call first needs one of them. */
export interface OnDemandSteps extends ResponseErrors {
  /**
   * Checks options and a call completely.
   *
   * @throws InvalidArgumentError
   */
  assertUnchecked(
    unchecked: readonly Unchecked[],
    call: Call | ContractCall,
    options: RequestOptions | undefined,
  ): void;
  /** Returns the error to throw for a call that `encodeCall` has rejected with `cause`. */
  encodingError(call: Call | ContractCall, cause: unknown): unknown;
  /** Sends a request through the middleware, traces, and debug output of a client. */
  intercept(settings: ClientSettings, request: OutgoingRequest, attempt: Attempt): Promise<TransportResponse>;
  /** Returns a response as `fetch` returns it. Aborting one of the signals ends its body. */
  rawResponse(response: TransportResponse, signals: readonly AbortSignal[]): Response;
  /**
   * Sends a message again after an outcome that may be temporary, as often as the settings allow.
   *
   * @returns the last response.
   */
  retry(context: CallContext, sent: Message, outcome: Outcome): Promise<TransportResponse>;
  /** Sends a message; if the service requires an approval, waits for it, and sends the message again. */
  approvedRoundTrip(
    settings: ClientSettings,
    message: Message,
    attempts: Attempt[],
  ): Promise<TransportResponse>;
  /** Publishes the start and the end of `callback` to the subscribers of a tracing channel. */
  trace<T>(name: TracedName, context: CallTrace | AttemptTrace, callback: () => Promise<T>): Promise<T>;
  /**
   * Returns the token of the environment, for a call that has no token of its own.
   *
   * @throws TokenError
   */
  environmentToken(settings: ClientSettings, unusable: unknown): string;
  /** Returns the error for an error of the `token` function. */
  tokenError(cause: unknown): TokenError;
}
