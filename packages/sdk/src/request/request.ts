import type { Attempt } from "../errors/attempt.js";
import { ApiPromise, type ApiResponse } from "./api-promise.js";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Call, ContractCall, RequestOptions } from "./call.js";
import type { ClientSettings } from "./context.js";
import { type ReadBody, decodeResponse } from "./decode.js";
import { type Message, encodeCall } from "./encode.js";
import { roundTrip } from "./round-trip.js";
import { mergeOptions } from "./settings.js";
import { traceIfObserved } from "#trace-channels";
import { areCertainlyValid, assertCall } from "#type-checks";

/** Performs one call with the settings of a client. `read` takes the value from the response's body. */
export type RequestFunction = <T>(
  call: Call | ContractCall,
  options: RequestOptions | undefined,
  read: ReadBody<T>,
) => ApiPromise<T>;

/** Sends a message that is encoded already, with the client's settings and the options of one call. */
export const sendEncoded = (
  clientSettings: ClientSettings,
  message: Message,
  options: RequestOptions,
): Promise<TransportResponse> => {
  const attempts: Attempt[] = [];
  return traceCall(clientSettings, message, attempts, () =>
    chooseRoundTrip(mergeOptions(clientSettings, options), message, attempts),
  );
};

/** Encode → round trip (authorize → send → retry or refresh) → decode. */
export const createRequest =
  (clientSettings: ClientSettings): RequestFunction =>
  (call, options, readBody) => {
    const reading: Message["reading"] = {};
    let settings: ClientSettings;
    let response: TransportResponse;
    const attempts: Attempt[] = [];
    const decodedData = traceCall(clientSettings, call, attempts, async () => {
      assertCall(call, options, () => InvalidArgumentError);
      settings = options ? mergeOptions(clientSettings, options) : clientSettings;
      if (
        settings.unchecked[0] ||
        !areCertainlyValid(call.query, "?") ||
        !areCertainlyValid(call.body, "{")
      ) {
        (await clientSettings.load()).assertUnchecked(settings.unchecked, call, options);
      }
      let message: Message;
      try {
        message = encodeCall(settings, call, reading);
      } catch (error) {
        throw (await clientSettings.load()).encodingError(call, error);
      }
      response = await chooseRoundTrip(settings, message, attempts);
      return decodeResponse(message, response, readBody, settings.load);
    });
    const getApiResponse = (): ApiResponse => {
      const { status, headers } = response;
      return { status, headers, requestId: headers["x-request-id"], attempts };
    };
    const requestUnreadBody = (): (() => Promise<Response>) => {
      reading.unread = true;
      return async () => (await clientSettings.load()).rawResponse(response, settings.signals);
    };
    return new ApiPromise(decodedData, getApiResponse, requestUnreadBody);
  };

/** Returns a response of any status. */
const chooseRoundTrip: typeof roundTrip = (settings, ...roundTripArguments) =>
  settings.waitForApproval
    ? settings.load().then((steps) => steps.approvedRoundTrip(settings, ...roundTripArguments))
    : roundTrip(settings, ...roundTripArguments);

/**
 * Traces a call, and completes its error with the attempts and the stack of the caller. The stack is captured only after a
 * failure, since capturing it for every call would cost as much as everything else here. Engines can follow the caller
 * through native promises only.
 */
const traceCall = async <T>(
  { load }: ClientSettings,
  { method, path }: { method: string; path: string },
  attempts: Attempt[],
  callback: () => Promise<T>,
): Promise<T> => {
  try {
    return await (traceIfObserved("call", { method, path, attempts }, callback, load) ?? callback());
  } catch (error) {
    // The caller must have reached its `await`, or the stack does not show it.
    await undefined;
    if (error instanceof MgmtError) {
      if (attempts[0]) error.attempts ??= attempts;
      const { stack }: { stack?: unknown } = new Error();
      // A program may have replaced the code that makes stacks.
      if (typeof stack === "string") error.stack = String(error) + stack.replace(/.*\n.*/, "");
    }
    throw error;
  }
};
