import { outcomeUnknown } from "../../errors/run-errors.js";
import { isObject } from "../../json-path.js";
import { shellWord } from "../../operations/examples.js";
import { explainLostResponse, lostResponse } from "../../operations/lost-response.js";
import type { ApiRequest } from "./request.js";

/**
 * Returns an error that says what to run next if a POST may have been processed although no response arrived, and otherwise
 * the error itself.
 */
export const explainLost = async (
  error: unknown,
  { method, path, query, body, operation }: ApiRequest,
): Promise<unknown> => {
  if (method !== "POST") return error;
  if (operation) {
    const input = { query: Object.fromEntries(query), body: isObject(body) ? body : undefined };
    return explainLostResponse(error, operation.row, operation.target, input);
  }
  const problem = await lostResponse(error);
  if (problem === undefined) return error;
  const words = ["mgmt", "api", "GET", path];
  return outcomeUnknown(
    `${problem}. It is not known whether the request took effect`,
    words,
    `Before you repeat it, find out whether it did: ${words.map(shellWord).join(" ")}`,
  );
};
