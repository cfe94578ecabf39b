import { InvalidArgumentError } from "../errors/local-errors.js";

const name = /^[!#$%&'*+.^_`|~\w-]+$/;
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Header names in lower case. A name or value that HTTP cannot carry is refused here, and never quoted: transports quote
 * it in their errors, and it may be a secret.
 */
export const headersOf = (headers: Record<string, string> = {}): Record<string, string> => {
  const flat: Record<string, string> = {};
  for (const [key, text] of Object.entries(headers)) {
    if (!name.test(key)) throw new InvalidArgumentError("headers", "has a name that no header can have");
    if (typeof text !== "string" || !value.test(text)) {
      throw new InvalidArgumentError(
        `headers[${JSON.stringify(key)}]`,
        "has a value that no header can have",
      );
    }
    flat[key.toLowerCase()] = text;
  }
  return flat;
};
