import { ConnectionError } from "../errors/local-errors.js";
import { authorize } from "./authorize.js";
import type { CallContext, Outcome } from "./context.js";
import type { Message } from "./encode.js";
import { send } from "./send.js";

/** After a 401, which means that nothing was done, asks for another credential and sends once more if there is one. */
export const refresh = async (context: CallContext, sent: Message, outcome: Outcome): Promise<Outcome> => {
  const { settings, message } = context;
  if (outcome instanceof ConnectionError || outcome.status !== 401) return outcome;
  if (typeof settings.token !== "function" || message === sent) return outcome;
  const { authorization } = sent.headers;
  const refreshed = await authorize(context, authorization?.slice("Bearer ".length));
  if (refreshed.headers["authorization"] === authorization) return outcome;
  return send(context, refreshed, 0);
};
