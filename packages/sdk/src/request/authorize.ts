import { TokenError } from "../errors/local-errors.js";
import type { Message } from "./encode.js";
import { isHeaderValue } from "./headers.js";
import type { Token } from "./settings.js";

/** Adds the credential, unless the caller has set `authorization` for this call. */
export const authorize = async (message: Message, token: Token | undefined): Promise<Message> => {
  if (token === undefined || message.headers["authorization"] !== undefined) return message;
  const value = typeof token === "function" ? await ask(token) : token;
  if (!isHeaderValue(value) || value.trim() === "") {
    throw new TokenError("The token is empty, no string, or has characters that no header can carry", {
      hint: "A trailing line break, from a file, is the usual cause: trim it.",
    });
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
