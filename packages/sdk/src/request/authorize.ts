import { MgmtError } from "../errors/mgmt-error.js";
import type { CallContext } from "./context.js";
import type { Message } from "./encode.js";

/**
 * Adds the credential to the message, unless the caller set `authorization` or disabled the token. `rejectedToken` is the token
 * that the service has just rejected. Throws `TokenError` when there is no token that can be sent.
 */
export const authorize = async (
  { message, settings, limit }: CallContext,
  rejectedToken?: string,
): Promise<Message> => {
  const { token, timeoutMs, load } = settings;
  if (token === false || message.headers["authorization"] !== undefined) return message;
  let resolvedToken: unknown = token;
  if (typeof token === "function") {
    try {
      resolvedToken = await token({ signal: limit.signal, timeoutMs, rejected: rejectedToken });
    } catch (error) {
      const steps = await load().catch((loadError: unknown) => {
        throw error instanceof MgmtError ? error : loadError;
      });
      throw steps.tokenError(error);
    }
  }
  const bearerToken = isSendableToken(resolvedToken)
    ? resolvedToken
    : (await load()).environmentToken(settings, resolvedToken);
  return { ...message, headers: { authorization: `Bearer ${bearerToken}`, ...message.headers } };
};

/** Returns whether a value can be sent as a bearer token. */
export const isSendableToken = (value: unknown): value is string =>
  typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
