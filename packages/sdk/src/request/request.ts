import { TimeoutError } from "../errors/local-errors.js";
import type { TransportResponse } from "../transport/transport.js";
import { authorize } from "./authorize.js";
import type { Call, RequestOptions } from "./call.js";
import { withDeadline } from "./deadline.js";
import { decode } from "./decode.js";
import { type Message, encode } from "./encode.js";
import { send } from "./send.js";
import { readTimeout, type Settings } from "./settings.js";

/** Reads a value out of the body of a good answer; undefined says that the body is not what the contract says. */
export type Open<T> = (body: unknown, requestId: string | undefined) => T | undefined;

/** The one request path, bound to the settings of a client. */
export type RequestPath = <T>(call: Call, options: RequestOptions | undefined, open: Open<T>) => Promise<T>;

/** Encode → authorize → send → decode. */
export const requestPath =
  (settings: Settings): RequestPath =>
  async (call, options, open) => {
    const message = encode(settings, call, options);
    return decode(message, await exchange(settings, message, options), open);
  };

/** The middle of it: from a written request to a whole answer of any status, under one deadline. */
export const exchange = (
  settings: Settings,
  message: Message,
  options?: RequestOptions,
): Promise<TransportResponse> => {
  const timeoutMs = options?.timeoutMs === undefined ? settings.timeoutMs : readTimeout(options.timeoutMs);
  const timedOut = (): TimeoutError => new TimeoutError(message, timeoutMs);
  return withDeadline({ signal: options?.signal, timeoutMs, timedOut }, async (signal) =>
    send(settings.transport, await authorize(message, settings.token), signal),
  );
};
