import type { Context } from "../input/context.js";
import { describeInterruption, outcomeUnknownError } from "../errors/run-errors.js";
import type { RequestInput } from "../input/read-input.js";
import { getAtPath } from "../json/json-path.js";
import { isOutcomeUnknown } from "../transport/unconfirmed-changes.js";
import { createEnsureDefinition, hasIdentity } from "./ensure-definition.js";
import { quoteShellWord } from "../text/shell-word.js";
import { formatBodyFlags, formatFieldFlag } from "./examples.js";
import { getOverride } from "../contract/command-override.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { findSiblingCommand } from "../contract/siblings.js";

/**
 * Returns an error that says what to run next if the request may have been processed although no response arrived, and
 * otherwise the error itself.
 */
export const explainLostResponse = async (
  error: unknown,
  command: GeneratedCommand,
  target: Readonly<Record<string, string>>,
  input: RequestInput,
  context: Pick<Context, "signal" | "changeTracker">,
): Promise<unknown> => {
  const problem = await describeUnknownOutcome(error, command.method, context);
  if (problem === undefined) return error;
  const { next, effect } = await suggestCommand(command, target, input);
  const words = ["mgmt", ...next];
  return outcomeUnknownError(problem, words, `${effect}: ${words.map(quoteShellWord).join(" ")}`);
};

/**
 * Returns the problem if a request may have been processed although no response arrived, else undefined. The SDK sends a request
 * again unless it could take effect twice, so that only a POST ends in this way, or a request that the user has interrupted.
 */
export const describeUnknownOutcome = async (
  error: unknown,
  method: string,
  { signal, changeTracker }: Pick<Context, "signal" | "changeTracker">,
): Promise<string | undefined> => {
  const isUnconfirmed = changeTracker.consumeUnconfirmed();
  if (signal.aborted) {
    return isUnconfirmed && error instanceof Error && error === signal.reason
      ? describeInterruption(error)
      : undefined;
  }
  const problem = method === "POST" ? await describeLostResponse(error) : undefined;
  return problem === undefined ? undefined : `${problem}. It is not known whether the request took effect`;
};

/** Returns the problem if the response to a request was lost, else undefined. */
export const describeLostResponse = async (error: unknown): Promise<string | undefined> => {
  const { ApiError, ConnectionError, InvalidResponseError, isUnsent } = await import("../sdk/sdk.js");
  if (error instanceof ConnectionError) return isUnsent(error) ? undefined : error.message;
  if (error instanceof InvalidResponseError) return error.message;
  return error instanceof ApiError && isOutcomeUnknown(error.status, error.headers)
    ? error.message
    : undefined;
};

const suggestCommand = async (
  command: GeneratedCommand,
  target: Readonly<Record<string, string>>,
  { body }: RequestInput,
): Promise<{ next: string[]; effect: string }> => {
  const { commandPath, ensure, arguments: parameters } = command;
  const ids = parameters.map(({ name }) => target[name] ?? "");
  if (ensure && hasIdentity(body, ensure.identities)) {
    const definition = createEnsureDefinition(command, ensure);
    const next = [
      ...definition.commandPath,
      ...ids,
      ...formatBodyFlags(definition, getOverride(definition.id), body),
    ];
    return { next, effect: "This command creates it only if it does not exist" };
  }
  const get = await findSiblingCommand(commandPath, "get");
  if (get && get.arguments.length === parameters.length && ids.length > 0) {
    return { next: [...get.commandPath, ...ids], effect: "This command shows the current state" };
  }
  const list = await findSiblingCommand(commandPath, "list");
  if (!list) return { next: [...commandPath, "--help"], effect: "Find out before you repeat it" };
  const filters = list.query.flatMap((field) => {
    const value = getAtPath(body, field.path);
    return typeof value === "string" ? formatFieldFlag(field, value) : [];
  });
  return {
    next: [...list.commandPath, ...ids, ...filters],
    effect: "Before you repeat it, this command shows whether the resource exists",
  };
};
