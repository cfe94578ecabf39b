import { InvalidArgumentError } from "../errors/local-errors.js";

const name = /^[!#$%&'*+.^_`|~\w-]+$/;
const value = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether a header can carry the text. Transports that are given a worse one quote it in their errors. */
export const isHeaderValue = (text: unknown): text is string => typeof text === "string" && value.test(text);

/** Header names in lower case; a name or value that HTTP cannot carry is refused, and never quoted. */
export const headersOf = (headers: Record<string, string> = {}): Record<string, string> => {
  const flat: Record<string, string> = {};
  for (const [key, text] of Object.entries(headers)) {
    if (!name.test(key)) throw new InvalidArgumentError("headers", "has a name that is no header name");
    if (!isHeaderValue(text)) {
      throw new InvalidArgumentError(
        `headers[${JSON.stringify(key)}]`,
        "has a value that no header can carry",
      );
    }
    flat[key.toLowerCase()] = text;
  }
  return flat;
};
