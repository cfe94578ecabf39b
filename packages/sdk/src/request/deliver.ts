import { ConnectionError, TimeoutError } from "../errors/local-errors.js";
import { loadOnDemand } from "../load-on-demand.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Attempt } from "./attempt.js";
import { authorize } from "./authorize.js";
import { race } from "./deadline.js";
import type { Message } from "./encode.js";
import { send } from "./send.js";
import type { Settings } from "./settings.js";

/** A request on its way: with its credential, once it has one, under its deadline. */
export interface Delivery {
  settings: Settings;
  message: Message;
  attempts: Attempt[];
  signal: AbortSignal;
  /** When the deadline passes, as `performance.now()` counts. */
  end: number;
}

/** What came of a request: an answer of any status, or none. */
export type Outcome = TransportResponse | ConnectionError;

/** From a written request to a whole answer of any status, by as many attempts as it takes, under one deadline. */
export const deliver = (
  settings: Settings,
  message: Message,
  callerSignal: AbortSignal | undefined,
  attempts: Attempt[],
): Promise<TransportResponse> => {
  const { timeoutMs, token } = settings;
  const end = performance.now() + timeoutMs;
  const timedOut = (): TimeoutError => new TimeoutError(message, timeoutMs);
  return race({ signal: callerSignal, timeoutMs, timedOut }, async (signal, finish) => {
    try {
      const authorized = await authorize(message, token, { signal, timeoutMs });
      const outcome = await send(settings, authorized, signal, attempts, 0);
      if (!(outcome instanceof Error) && outcome.status < 400) return outcome;
      // Where the rest cannot be loaded, there is no network to send again on.
      const rest = await loadOnDemand().catch(() => undefined);
      const delivery = { settings, message: authorized, attempts, signal, end };
      return await (rest ? rest.recover(delivery, message, outcome) : answerOf(outcome));
    } finally {
      finish();
    }
  });
};

export const answerOf = (outcome: Outcome): TransportResponse => {
  if (outcome instanceof ConnectionError) throw outcome;
  return outcome;
};
