import { errorFrom } from "../errors/error-from.js";
import { ConnectionError } from "../errors/local-errors.js";
import type { TransportResponse } from "../transport/transport.js";
import { pause } from "../wait/pause.js";
import { authorize } from "./authorize.js";
import { type Delivery, type Outcome, answerOf } from "./deliver.js";
import type { Message } from "./encode.js";
import { isUntaken, mayRetry, pauseBefore } from "./retry.js";
import { send } from "./send.js";

/** Goes on after a first attempt that did not succeed: sends again while that is safe, may help, and there is time. */
export const recover = async (
  delivery: Delivery,
  message: Message,
  first: Outcome,
): Promise<TransportResponse> => {
  const { settings, attempts, signal, end } = delivery;
  const { token, timeoutMs, maxRetries, maxRetryAfterMs } = settings;
  let outcome = await renew(delivery, message, first);
  let mayHaveBeenTaken = false;
  for (let retry = 0; retry < maxRetries && mayRetry(message.method, outcome); retry += 1) {
    const pauseMs = pauseBefore(retry, outcome, maxRetryAfterMs);
    if (pauseMs === undefined || performance.now() + pauseMs >= end) break;
    mayHaveBeenTaken ||= !isUntaken(outcome);
    await pause(pauseMs, signal);
    const authorized = await authorize(message, token, { signal, timeoutMs });
    const sent = await send(settings, authorized, signal, attempts, pauseMs);
    outcome = await renew({ ...delivery, message: authorized }, message, sent);
    // The earlier attempt, whose answer was lost, has deleted it.
    if (mayHaveBeenTaken && isGone(message, outcome)) return { status: 204, headers: {}, body: "" };
  }
  return answerOf(outcome);
};

/** After a 401, which says that nothing was done, sends once more with another credential, if there is one. */
const renew = async (
  { settings, message: refused, attempts, signal }: Delivery,
  message: Message,
  outcome: Outcome,
): Promise<Outcome> => {
  const { token, timeoutMs } = settings;
  if (outcome instanceof ConnectionError || outcome.status !== 401) return outcome;
  if (typeof token !== "function" || message === refused) return outcome;
  const { authorization } = refused.headers;
  const renewed = await authorize(message, token, { signal, timeoutMs, rejected: authorization?.slice(7) });
  if (renewed.headers["authorization"] === authorization) return outcome;
  return send(settings, renewed, signal, attempts, 0);
};

const isGone = (message: Message, outcome: Outcome): boolean =>
  message.method === "DELETE" &&
  !(outcome instanceof ConnectionError) &&
  outcome.status === 404 &&
  // Neither a route that is not there, nor something in the way.
  /^(?!route:)\w+:not_found$/.test(errorFrom(message, outcome).code);
