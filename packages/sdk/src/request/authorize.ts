import type { Token } from "./call.js";
import type { CallContext } from "./context.js";
import type { Message } from "./encode.js";

/**
 * Adds the credential to the message, unless the caller set `authorization` for this call. `rejected` is the token that the
 * service has just refused. Throws `TokenError` when there is no token that can be sent.
 */
export const authorize = (context: CallContext, rejected?: string): Message | Promise<Message> => {
  const { message, settings } = context;
  const { token } = settings;
  if (token === undefined || message.headers["authorization"] !== undefined) return message;
  if (typeof token !== "function") return withToken(context, token);
  return callTokenFunction(context, token, rejected).then((value) => withToken(context, value));
};

const withToken = ({ message, settings }: CallContext, value: unknown): Message | Promise<never> => {
  if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) {
    return { ...message, headers: { ...message.headers, authorization: `Bearer ${value}` } };
  }
  return settings.load().then(({ malformedToken }) => {
    throw malformedToken();
  });
};

const callTokenFunction = async (
  { settings: { load, timeoutMs }, signal }: CallContext,
  token: Exclude<Token, string>,
  rejected: string | undefined,
): Promise<unknown> => {
  try {
    return await token({ signal, timeoutMs, rejected });
  } catch (error) {
    throw (await load()).tokenFunctionError(error);
  }
};
