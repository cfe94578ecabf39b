import { TokenError } from "../errors/local-errors.js";
import type { Message } from "./encode.js";
import type { Token, TokenRequest } from "./token.js";

/** Adds the credential, unless the caller has set `authorization` for this call. */
export const authorize = (
  message: Message,
  token: Token | undefined,
  request: TokenRequest,
): Message | Promise<Message> => {
  if (token === undefined || message.headers["authorization"] !== undefined) return message;
  if (typeof token !== "function") return withToken(message, token);
  return ask(token, request).then((value) => withToken(message, value));
};

const withToken = (message: Message, value: unknown): Message => {
  // The token itself is never quoted.
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) {
    throw new TokenError("The token is empty or has characters that no header can have", {
      hint: "Look for a line break or a leading `Bearer `.",
      advice: "check_token",
    });
  }
  return { ...message, headers: { ...message.headers, authorization: `Bearer ${value}` } };
};

const ask = async (token: Exclude<Token, string>, request: TokenRequest): Promise<unknown> => {
  try {
    return await token(request);
  } catch (error) {
    if (error instanceof TokenError) throw error;
    throw new TokenError("The token function failed", { hint: "See the cause.", cause: error });
  }
};
