import { ApiPromise, type ApiResponse, type Attempt } from "../api-promise.js";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Call, RequestOptions } from "./call.js";
import type { Settings } from "./context.js";
import { type ReadBody, decode } from "./decode.js";
import { type Message, encode } from "./encode.js";
import { roundTrip } from "./round-trip.js";
import { mergeOptions } from "./settings.js";
import { channelOf } from "#trace-channels";
import { assertOptions } from "#type-checks";

/** Performs one call with the settings of a client. `read` takes the value from the response's body. */
export type RequestFunction = <T>(
  call: Call,
  options: RequestOptions | undefined,
  read: ReadBody<T>,
) => ApiPromise<T>;

/** Sends a message that is encoded already, with the client's settings and the options of one call. */
export const sendEncoded = (
  client: Settings,
  message: Message,
  options: RequestOptions,
): Promise<TransportResponse> =>
  traceCall(client, message, (attempts) =>
    roundTripFor(mergeOptions(client, options), message, options.signal, attempts),
  );

/** Encode → round trip (authorize → send → retry or refresh) → decode. */
export const createRequest =
  (client: Settings): RequestFunction =>
  (call, options, read) => {
    let responseParts: () => ApiResponse;
    const data = traceCall(client, call, async (attempts) => {
      assertOptions(options ?? {}, "call", InvalidArgumentError);
      const settings = options ? mergeOptions(client, options) : client;
      const message = encode(settings, call, options);
      const response = await roundTripFor(settings, message, options?.signal, attempts);
      responseParts = () => {
        const { status, headers } = response;
        return { status, headers, requestId: headers["x-request-id"], attempts };
      };
      return decode(message, response, read, settings.load);
    });
    return new ApiPromise(data, () => responseParts());
  };

/** Returns a response of any status. */
const roundTripFor: typeof roundTrip = (settings, ...rest) =>
  settings.waitForApproval
    ? settings.load().then(({ roundTripWithApproval }) => roundTripWithApproval(settings, ...rest))
    : roundTrip(settings, ...rest);

/**
 * Traces a call, and completes its error with the attempts and the stack of the caller. The stack is captured only after a
 * failure, since capturing it for every call would cost as much as everything else here. Engines can follow the caller
 * through native promises only.
 */
const traceCall = async <T>(
  { load }: Settings,
  { method, path }: { method: string; path: string },
  work: (attempts: Attempt[]) => Promise<T>,
): Promise<T> => {
  const attempts: Attempt[] = [];
  try {
    if (!channelOf("call")) return await work(attempts);
    const { trace } = await load();
    return await trace("call", { method, path, attempts }, () => work(attempts));
  } catch (error) {
    // The caller must have reached its `await`, or the stack does not show it.
    await undefined;
    if (error instanceof MgmtError) {
      if (attempts[0]) error.attempts ??= attempts;
      error.stack = [error, ...(new Error().stack ?? "").split("\n").slice(2)].join("\n");
    }
    throw error;
  }
};
