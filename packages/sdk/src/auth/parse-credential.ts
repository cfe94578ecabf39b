import { type Credential, isCredential } from "./credential.js";
import { authErrors } from "./errors.js";

/**
 * Parses a stored credential. The parser's own error is not passed on, because it quotes the text.
 *
 * @param source names the place in errors.
 */
export const parseCredential = (source: string, json: string): Credential => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw authErrors.corruptStore(source, json.trim() === "" ? "is empty" : "is not JSON");
  }
  if (!isCredential(value)) throw authErrors.corruptStore(source, "lacks required fields");
  return value;
};
