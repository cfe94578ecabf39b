import type { ConnectionError } from "../errors/local-errors.js";
import type { TokenError } from "../errors/token-error.js";
import type { Attempt } from "../api-promise.js";
import type { Transport, TransportResponse } from "../transport/transport.js";
import type { ApprovalWaitOptions } from "../wait/approval-wait-options.js";
import type { Token } from "./call.js";
import type { ResponseErrors } from "./decode.js";
import type { Message } from "./encode.js";
import type { Middleware, OutgoingRequest } from "./middleware.js";
import type { TracedName } from "./trace-channels.js";

/** The options of a client or a call, checked and with their defaults. */
export interface Settings {
  baseUrl: string;
  /** Undefined reads `MGMT_TOKEN`; false sends no credential. */
  token: Token | false | undefined;
  transport: Transport;
  headers: Record<string, string>;
  timeoutMs: number;
  maxRetries: number;
  maxRetryAfterMs: number;
  middleware: readonly Middleware[];
  debug: boolean | ((line: string) => void);
  waitForApproval: ApprovalWaitOptions | undefined;
  /** Loads the steps that few calls take. */
  load: () => Promise<OnDemandSteps>;
}

/** What the steps between `encode` and `decode` share. */
export interface CallContext {
  settings: Settings;
  /** Without a credential. */
  message: Message;
  attempts: Attempt[];
  /** Aborted at the deadline and when the caller aborts. */
  signal: AbortSignal;
  /** When the deadline passes, on the clock of `performance.now()`. */
  deadline: number;
}

/** The result of one attempt: a response of any status, or the error when there was none. */
export type Outcome = TransportResponse | ConnectionError;

/** The steps that few calls take. */
export interface OnDemandSteps extends ResponseErrors {
  intercept(settings: Settings, request: OutgoingRequest, attempt: Attempt): Promise<TransportResponse>;
  retry(context: CallContext, sent: Message, outcome: Outcome): Promise<TransportResponse>;
  roundTripWithApproval(
    settings: Settings,
    message: Message,
    signal: AbortSignal | undefined,
    attempts: Attempt[],
  ): Promise<TransportResponse>;
  trace<T>(name: TracedName, context: object, work: () => Promise<T>): Promise<T>;
  environmentToken(settings: Settings, unusable: unknown): string;
  tokenFunctionError(cause: unknown): TokenError;
}
