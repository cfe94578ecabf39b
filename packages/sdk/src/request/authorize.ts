import { TokenError } from "../errors/local-errors.js";
import type { Message } from "./encode.js";
import type { Token, TokenRequest } from "./token.js";

/** Adds the credential, unless the caller has set `authorization` for this call. */
export const authorize = async (
  message: Message,
  token: Token | undefined,
  request: TokenRequest,
): Promise<Message> => {
  if (token === undefined || message.headers["authorization"] !== undefined) return message;
  const value = typeof token === "function" ? await ask(token, request) : token;
  // The token itself is never quoted.
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) {
    throw new TokenError(
      "The token is empty, no string, or has spaces or characters that no header can carry",
      {
        hint: "The usual causes: a line break at the end of a file, or a leading `Bearer `, which the SDK adds itself.",
      },
    );
  }
  return { ...message, headers: { ...message.headers, authorization: `Bearer ${value}` } };
};

/** The message with another credential than the one that was refused; undefined when there is none. */
export const reauthorize = async (
  message: Message,
  refused: Message,
  token: Token | undefined,
  request: TokenRequest,
): Promise<Message | undefined> => {
  if (typeof token !== "function" || message === refused) return undefined;
  const { authorization } = refused.headers;
  const renewed = await authorize(message, token, { ...request, rejected: authorization?.slice(7) });
  return renewed.headers["authorization"] === authorization ? undefined : renewed;
};

const ask = async (token: Exclude<Token, string>, request: TokenRequest): Promise<unknown> => {
  try {
    return await token(request);
  } catch (error) {
    if (error instanceof TokenError) throw error;
    throw new TokenError("The token function failed", { cause: error });
  }
};
