import { ConnectionError, TimeoutError } from "../errors/local-errors.js";
import type { Attempt } from "../errors/attempt.js";
import type { TransportResponse } from "../transport/transport.js";
import { authorize } from "./authorize.js";
import type { CallContext, Outcome, ClientSettings } from "./context.js";
import { raceWithDeadline } from "../deadlines/deadline.js";
import type { Message } from "./encode.js";
import { sendAttempt } from "./send.js";

/** Authorizes, sends, and retries or refreshes, under one deadline. Returns a complete response of any status. */
export const roundTrip = (
  settings: ClientSettings,
  message: Message,
  attempts: Attempt[],
): Promise<TransportResponse> => {
  const { timeoutMs, load, timers } = settings;
  const deadline = timers.performance.now() + timeoutMs;
  return raceWithDeadline(
    { onTimeout: () => new TimeoutError(message, timeoutMs), ...settings },
    async (limit) => {
      const context: CallContext = { settings, message, attempts, limit, deadline };
      const authorizedMessage = await authorize(context);
      const outcome = await sendAttempt(context, authorizedMessage, 0);
      if (!(outcome instanceof Error) && outcome.status < 400) return outcome;
      // When the code cannot be loaded, there is no network to retry on either.
      const steps = await load().catch(() => undefined);
      return steps ? steps.retry(context, authorizedMessage, outcome) : unwrapResponse(outcome);
    },
  );
};

/** Throws the error when there was no response. */
export const unwrapResponse = (outcome: Outcome): TransportResponse => {
  if (outcome instanceof ConnectionError) throw outcome;
  return outcome;
};
