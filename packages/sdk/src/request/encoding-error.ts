import { InvalidArgumentError } from "../errors/local-errors.js";
import type { Call, ContractCall } from "./call.js";
import { isUnsafeSegment, fillPath } from "./path.js";

/** Makes the error of a call that `encodeCall` rejected. Returns `cause` unless an argument is to blame. */
export const createEncodingError = (
  { method, path, pathParams, body }: Call | ContractCall,
  cause: unknown,
): unknown => {
  if (!path.startsWith("/")) return new InvalidArgumentError("path", "must start with a slash");
  try {
    if (JSON.stringify(body) && method === "GET") {
      return new InvalidArgumentError("body", "cannot be sent with GET");
    }
  } catch (error) {
    return new InvalidArgumentError("body", "cannot be serialized as JSON", { cause: error });
  }
  try {
    fillPath(path, pathParams, encodeArgument);
  } catch (error) {
    return error;
  }
  return cause;
};

/** Encodes one path parameter. Throws `InvalidArgumentError` with its name. */
export const encodeArgument = (value: unknown, name: string): string => {
  if (typeof value !== "string" || isUnsafeSegment(value)) {
    throw new InvalidArgumentError(name, "must be a string that is neither empty nor a dot segment");
  }
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new InvalidArgumentError(name, "is not well-formed text", { cause });
  }
};
