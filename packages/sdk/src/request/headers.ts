import { InvalidArgumentError } from "../errors/local-errors.js";

const validName = /^[!#$%&'*+.^_`|~\w-]+$/;
const validValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns the headers with their names in lower case. Throws `InvalidArgumentError` for a name or value that HTTP does not
 * allow, without quoting it: it may be a secret, and transports would quote it in their errors.
 */
export const readHeaders = (headers: Record<string, string> | undefined): Record<string, string> => {
  const lowerCased: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...headers })) {
    if (!validName.test(name)) {
      throw new InvalidArgumentError("headers", "has a name that is not allowed in HTTP");
    }
    if (typeof value !== "string" || !validValue.test(value)) {
      throw new InvalidArgumentError(
        `headers[${JSON.stringify(name)}]`,
        "has a value that is not allowed in HTTP",
      );
    }
    lowerCased[name.toLowerCase()] = value;
  }
  return lowerCased;
};
