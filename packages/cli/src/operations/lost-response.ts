import { outcomeUnknown } from "../errors/run-errors.js";
import type { Input } from "../input/read-input.js";
import { valueAt } from "../json-path.js";
import { ensureRow, hasIdentity } from "./ensure-row.js";
import { bodyWords, flagWords, shellWord } from "./examples.js";
import { overlayOf } from "./overlay.js";
import type { OperationCommand } from "./row.js";
import { siblingOf } from "./siblings.js";

/** Statuses of proxies that have lost the response of the service. */
const lostStatuses: readonly number[] = [408, 502, 504];

/**
 * Returns an error that says what to run next if the request may have been processed although no response arrived, and
 * otherwise the error itself.
 */
export const explainLostResponse = async (
  error: unknown,
  command: OperationCommand,
  target: Readonly<Record<string, string>>,
  input: Input,
): Promise<unknown> => {
  const problem = await lostResponse(error);
  if (problem === undefined) return error;
  const { next, effect } = await nextCommand(command, target, input);
  const words = ["mgmt", ...next];
  return outcomeUnknown(
    `${problem}. It is not known whether the request took effect`,
    words,
    `${effect}: ${words.map(shellWord).join(" ")}`,
  );
};

/** Returns the problem if a request may have been processed although no response arrived, else undefined. */
export const lostResponse = async (error: unknown): Promise<string | undefined> => {
  const { ApiError, ConnectionError, InvalidResponseError, isUnsent } = await import("../service/sdk.js");
  if (error instanceof ConnectionError) return isUnsent(error) ? undefined : error.message;
  if (error instanceof InvalidResponseError) return error.message;
  return error instanceof ApiError && lostStatuses.includes(error.status) ? error.message : undefined;
};

const nextCommand = async (
  command: OperationCommand,
  target: Readonly<Record<string, string>>,
  { body }: Input,
): Promise<{ next: string[]; effect: string }> => {
  const { words, ensure, arguments: parameters } = command;
  const ids = parameters.map(({ name }) => target[name] ?? "");
  if (ensure && hasIdentity(body, ensure.identities)) {
    const row = ensureRow(command, ensure);
    const next = [...row.words, ...ids, ...bodyWords(row, overlayOf(row.id), body)];
    return { next, effect: "This command creates it only if it does not exist" };
  }
  const get = await siblingOf(words, "get");
  if (get && get.arguments.length === parameters.length && ids.length > 0) {
    return { next: [...get.words, ...ids], effect: "This command shows the current state" };
  }
  const list = await siblingOf(words, "list");
  if (!list) return { next: [...words, "--help"], effect: "Find out before you repeat it" };
  const filters = list.query.flatMap((field) => {
    const value = valueAt(body, field.path);
    return typeof value === "string" ? flagWords(field, value) : [];
  });
  return {
    next: [...list.words, ...ids, ...filters],
    effect: "Before you repeat it, this command shows whether the resource exists",
  };
};
