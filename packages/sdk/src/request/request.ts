import { ApiPromise, type ApiResponse } from "../api-promise.js";
import { MgmtError } from "../errors/mgmt-error.js";
import { loadOnDemand } from "../load-on-demand.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Attempt } from "./attempt.js";
import type { Call, RequestOptions } from "./call.js";
import { decode } from "./decode.js";
import { deliver } from "./deliver.js";
import { type Message, encode } from "./encode.js";
import { type Settings, settingsOf } from "./settings.js";
import { trace } from "./trace.js";

/** Reads the value out of the body of a good answer; undefined says that the body is not what the contract says. */
export type Open<T> = (body: unknown, answer: TransportResponse) => { value: T } | undefined;

/** The one request path, bound to the settings of a client. */
export type RequestPath = <T>(
  call: Call,
  options: RequestOptions | undefined,
  open: Open<T>,
) => ApiPromise<T>;

/** Encode → deliver (authorize, send, retry) → decode. */
export const requestPath =
  (client: Settings): RequestPath =>
  (call, options, open) => {
    let response: () => ApiResponse;
    const data = follow(call, async (attempts) => {
      const settings = options ? settingsOf(client, options) : client;
      const message = encode(settings, call, options);
      const answer = await exchange(settings, message, options?.signal, attempts);
      response = () => {
        const { status, headers } = answer;
        return { status, headers, requestId: headers["x-request-id"], attempts };
      };
      return decode(message, answer, open);
    });
    return new ApiPromise(data, () => response());
  };

/**
 * Traces a call, and lets its error say what was tried and who awaits the call. The stack is written once it has failed,
 * for it would cost each call as much as all else here; engines can follow it through native promises only.
 */
export const follow = async <T>(
  { method, path }: { method: string; path: string },
  work: (attempts: Attempt[]) => Promise<T>,
): Promise<T> => {
  const attempts: Attempt[] = [];
  try {
    return await trace("call", { method, path, attempts }, () => work(attempts));
  } catch (error) {
    // Who called has to have come as far as its `await`.
    await undefined;
    if (error instanceof MgmtError) {
      if (attempts[0]) error.attempts ??= attempts;
      error.stack = [error, ...(new Error().stack ?? "").split("\n").slice(2)].join("\n");
    }
    throw error;
  }
};

/**
 * From a written request to a whole answer of any status; after a wait for an approval, to that of the same request sent
 * once more. Each has its own deadline.
 */
export const exchange = (
  settings: Settings,
  message: Message,
  signal: AbortSignal | undefined,
  attempts: Attempt[],
): Promise<TransportResponse> => {
  const delivered = deliver(settings, message, signal, attempts);
  if (!settings.waitForApproval) return delivered;
  return delivered.then(async (answer) => {
    if (answer.status !== 403) return answer;
    return (await loadOnDemand()).sendOnceApproved(settings, message, signal, attempts, answer);
  });
};
