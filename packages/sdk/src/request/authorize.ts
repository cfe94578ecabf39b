import { TokenError } from "../errors/local-errors.js";
import type { Message } from "./encode.js";
import type { Token } from "./settings.js";

/** Adds the credential, unless the caller has set `authorization` for this call. */
export const authorize = async (message: Message, token: Token | undefined): Promise<Message> => {
  if (token === undefined || message.headers["authorization"] !== undefined) return message;
  const value = typeof token === "function" ? await ask(token) : token;
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

const ask = async (token: () => string | Promise<string>): Promise<unknown> => {
  try {
    return await token();
  } catch (error) {
    throw new TokenError("The token function failed", { cause: error });
  }
};
