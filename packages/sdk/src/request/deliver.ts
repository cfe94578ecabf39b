import { ConnectionError, TimeoutError } from "../errors/local-errors.js";
import type { TransportResponse } from "../transport/transport.js";
import { pause } from "../wait/pause.js";
import type { Attempt } from "./attempt.js";
import { authorize, reauthorize } from "./authorize.js";
import { withDeadline } from "./deadline.js";
import { loadErrors } from "./decode.js";
import type { Message } from "./encode.js";
import { type Outcome, isUntaken, mayRetry, pauseBefore } from "./retry.js";
import { send } from "./send.js";
import type { Settings } from "./settings.js";

/** From a written request to a whole answer of any status, by as many attempts as it takes, under one deadline. */
export const deliver = (
  settings: Settings,
  message: Message,
  callerSignal: AbortSignal | undefined,
  attempts: Attempt[],
): Promise<TransportResponse> => {
  const { timeoutMs, maxRetries, maxRetryAfterMs } = settings;
  const end = performance.now() + timeoutMs;
  const timedOut = (): TimeoutError => new TimeoutError(message, timeoutMs);
  return withDeadline({ signal: callerSignal, timeoutMs, timedOut }, async (signal) => {
    let mayHaveBeenTaken = false;
    for (let retry = 0, pauseMs = 0; ; retry += 1) {
      const outcome = await tryOnce(settings, message, signal, attempts, pauseMs);
      // An earlier attempt, whose answer was lost, has deleted it.
      if (mayHaveBeenTaken && (await isGone(message, outcome))) {
        return { status: 204, headers: {}, body: "" };
      }
      const next =
        retry < maxRetries && mayRetry(message.method, outcome)
          ? pauseBefore(retry, outcome, maxRetryAfterMs)
          : undefined;
      if (next === undefined || performance.now() + next >= end) {
        if (outcome instanceof ConnectionError) throw outcome;
        return outcome;
      }
      mayHaveBeenTaken ||= !isUntaken(outcome);
      pauseMs = next;
      await pause(pauseMs, signal);
    }
  });
};

/** One attempt; after a 401, which says that nothing was done, one more with another credential, if there is one. */
const tryOnce = async (
  settings: Settings,
  message: Message,
  signal: AbortSignal,
  attempts: Attempt[],
  pauseMs: number,
): Promise<Outcome> => {
  const { token, timeoutMs } = settings;
  const authorized = await authorize(message, token, { signal, timeoutMs });
  const outcome = await send(settings, authorized, signal, attempts, pauseMs);
  const renewed =
    !(outcome instanceof ConnectionError) &&
    outcome.status === 401 &&
    (await reauthorize(message, authorized, token, { signal, timeoutMs }));
  return renewed ? send(settings, renewed, signal, attempts, 0) : outcome;
};

const isGone = async (message: Message, outcome: Outcome): Promise<boolean> =>
  message.method === "DELETE" &&
  !(outcome instanceof ConnectionError) &&
  outcome.status === 404 &&
  // Neither a route that is not there, nor something in the way.
  /^(?!route:)\w+:not_found$/.test((await loadErrors()).errorFrom(message, outcome).code);
