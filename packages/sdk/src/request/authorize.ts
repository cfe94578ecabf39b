import { MgmtError } from "../errors/mgmt-error.js";
import type { CallContext } from "./context.js";
import type { Message } from "./encode.js";

/**
 * Adds the credential to the message, unless the caller set `authorization` or disabled the token. `rejected` is the token
 * that the service has just refused. Throws `TokenError` when there is no token that can be sent.
 */
export const authorize = async (
  { message, settings, limit }: CallContext,
  rejected?: string,
): Promise<Message> => {
  const { token, timeoutMs, load } = settings;
  if (token === false || message.headers["authorization"] !== undefined) return message;
  let value: unknown = token;
  if (typeof token === "function") {
    try {
      value = await token({ signal: limit.signal, timeoutMs, rejected });
    } catch (error) {
      const steps = await load().catch((failure: unknown) => {
        throw error instanceof MgmtError ? error : failure;
      });
      throw steps.tokenFunctionError(error);
    }
  }
  const sent = isToken(value) ? value : (await load()).environmentToken(settings, value);
  return { ...message, headers: { authorization: `Bearer ${sent}`, ...message.headers } };
};

/** Whether a value can be sent as a bearer token. */
export const isToken = (value: unknown): value is string =>
  typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
