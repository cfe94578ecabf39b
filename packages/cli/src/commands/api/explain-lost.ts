import type { Context } from "../../input/context.js";
import { outcomeUnknown } from "../../errors/run-errors.js";
import { isObject } from "../../contract/json-path.js";
import { shellWord } from "../../errors/shell-word.js";
import { explainLostResponse, unknownOutcome } from "../../run/lost-response.js";
import type { ApiRequest } from "./request.js";

/**
 * Returns an error that says what to run next if a request may have been processed although no response arrived, and otherwise
 * the error itself.
 */
export const explainLost = async (
  error: unknown,
  { method, path, query, body, operation }: ApiRequest,
  context: Pick<Context, "signal" | "changes">,
): Promise<unknown> => {
  if (method === "GET") return error;
  if (operation) {
    const input = { query: Object.fromEntries(query), body: isObject(body) ? body : undefined };
    return explainLostResponse(error, operation.row, operation.target, input, context);
  }
  const problem = await unknownOutcome(error, method, context);
  if (problem === undefined) return error;
  const words = ["mgmt", "api", "GET", path];
  return outcomeUnknown(
    problem,
    words,
    `Before you repeat it, find out whether it did: ${words.map(shellWord).join(" ")}`,
  );
};
