import { type Credential, isCredential } from "./credential.js";
import { authErrors } from "./errors.js";

/**
 * Parses a stored credential. The parser's own error is not passed on, because it quotes the text.
 *
 * @param where names the place in errors.
 */
export const parseCredential = (where: string, text: string): Credential => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw authErrors.corrupt(where, text.trim() === "" ? "is empty" : "is not JSON");
  }
  if (!isCredential(value)) throw authErrors.corrupt(where, "lacks required fields");
  return value;
};
