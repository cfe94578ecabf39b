import type { OperationCommand } from "../command-table.js";
import { allFailed, CliError, partlyDone } from "../errors.js";
import { readInput, type Input, type Typed } from "../input/read-input.js";
import { failureOf } from "../output/failure.js";
import type { CommandOverlay } from "../overlay.js";
import { type Call, connect, type Send } from "./connect.js";
import type { Context, GlobalFlags } from "./context.js";
import { allPages, type List, readList } from "./pages.js";

/** One command line, taken apart. */
export interface Invocation {
  readonly command: OperationCommand;
  readonly overlay: CommandOverlay;
  /** Path parameters; several sets when a delete was given several ids. */
  readonly targets: readonly Record<string, string>[];
  readonly typed: Typed;
  readonly flags: GlobalFlags;
  /** Walk all pages of a list. */
  readonly all: boolean;
  /** Wait until the database is ready, this long. */
  readonly waitMs?: number;
}

/** The generic runner: read and check → connect → warn → confirm → send → wait → answer. */
export const runOperation = async (invocation: Invocation, context: Context): Promise<void> => {
  const { command, targets, typed, flags } = invocation;
  const input = await readInput(command, typed, context.sources);
  const send = await connect(flags, context);
  if (command.deprecated) await warnDeprecated(command, context);
  const question = questionOf(invocation);
  if (question !== undefined && !flags.yes) {
    const { confirm } = await import("./confirm.js");
    await confirm(question, context);
  }

  const [target = {}] = targets;
  if (targets.length > 1) return runEach(invocation, input, send, context);
  const call = callOf(command, target, input);
  await explained(invocation, target, context, async () => {
    if (command.envelope === "list") return answerList(invocation, call, send, context);
    await answerOne(invocation, call, send, context);
  });
};

const callOf = (
  { method, path }: OperationCommand,
  pathParams: Record<string, string>,
  { query, body }: Input,
): Call => ({
  method,
  path,
  pathParams,
  query,
  ...(body !== undefined && { body }),
});

const warnDeprecated = async (
  { words, deprecated }: OperationCommand,
  { output }: Context,
): Promise<void> => {
  const replacement = deprecated?.replacedBy.length ? `mgmt ${deprecated.replacedBy.join(" ")}` : undefined;
  await output.warn({
    code: "command:deprecated",
    message: `mgmt ${words.join(" ")} is deprecated${replacement === undefined ? "" : `; use ${replacement}`}`,
    ...(replacement !== undefined && { replacement }),
  });
};

/** What is asked before something that cannot be undone; undefined for everything else. */
const questionOf = ({ command, overlay, targets }: Invocation): string | undefined => {
  const [target = {}] = targets;
  if (overlay.confirm !== undefined) {
    return overlay.confirm.replaceAll(/\{(\w+)\}/g, (_, name: string) => target[name] ?? name);
  }
  if (command.method !== "DELETE") return undefined;
  return `delete ${nameOf(command)} ${targets.map((each) => idOf(command, each)).join(", ")}`;
};

const nameOf = ({ arguments: ids }: OperationCommand): string =>
  ids.at(-1)?.resource ?? ids.at(-1)?.label.replace(/-id$/, "").replaceAll("-", " ") ?? "resource";

const idOf = ({ arguments: ids }: OperationCommand, target: Record<string, string>): string =>
  target[ids.at(-1)?.name ?? ""] ?? "";

const answerList = async (
  invocation: Invocation,
  call: Call,
  send: Send,
  { output }: Context,
): Promise<void> => {
  const { command, all } = invocation;
  const list: List = all ? await allPages(send, call) : readList(await send(call));
  await output.answer(list.items, command.resource);
  if (list.nextCursor === undefined) return;
  output.notice({
    code: "list:more",
    message: `There is more: --all takes everything, --cursor ${list.nextCursor} goes on from here.`,
    nextCursor: list.nextCursor,
  });
};

const answerOne = async (invocation: Invocation, call: Call, send: Send, context: Context): Promise<void> => {
  const { command, waitMs } = invocation;
  const { output } = context;
  const body = await send(call);
  if (command.envelope === "none") return output.say(doneMessage(command, call.pathParams));
  const value = command.envelope === "data" ? (body as { data?: unknown } | undefined)?.data : body;
  if (typeof value !== "object" || value === null) {
    const problem = "The service answered with something that is not what the contract says";
    throw new CliError("failure", "response:invalid", problem, "Check the base URL.");
  }
  // The answer may hold secrets that are shown this once: it is printed however the waiting ends.
  const failed = waitMs === undefined ? undefined : await waitFor(invocation, value, waitMs, send, context);
  await output.answer(value, command.resource);
  if (failed !== undefined) throw failed.error;
};

const doneMessage = (command: OperationCommand, target: Record<string, string>): string =>
  command.method === "DELETE"
    ? `Deleted ${nameOf(command)} ${idOf(command, target)}.`
    : `Done: ${command.words.join(" ")} ${Object.values(target).join(" ")}`.trim();

const waitFor = async (
  { overlay }: Invocation,
  answer: object,
  timeoutMs: number,
  send: Send,
  { output, signal }: Context,
): Promise<{ error: unknown } | undefined> => {
  const database = databaseIn(answer, overlay.wait);
  if (database === undefined) {
    output.say("No database was made: there is nothing to wait for.");
    return undefined;
  }
  const { waitUntilReady } = await import("./wait.js");
  const onStatus = (status: string): void => {
    if (status !== database.status) output.say(`Database ${database.id} is ${status}.`);
    database.status = status;
  };
  try {
    output.say(`Database ${database.id} is ${database.status}; waiting until it is ready.`);
    await waitUntilReady(send, database.id, { timeoutMs, signal, onStatus });
    return undefined;
  } catch (error) {
    return { error };
  }
};

const databaseIn = (
  answer: object,
  place: string | undefined,
): { id: string; status: string } | undefined => {
  const found: unknown = place ? (answer as Record<string, unknown>)[place] : answer;
  if (typeof found !== "object" || found === null || !("id" in found) || !("status" in found))
    return undefined;
  return typeof found.id === "string" && typeof found.status === "string"
    ? // Both were looked at on the line above.
      (found as { id: string; status: string })
    : undefined;
};

/** Several ids: the others go on when one fails, and the run still ends as failed. */
const runEach = async (invocation: Invocation, input: Input, send: Send, context: Context): Promise<void> => {
  const { command, targets } = invocation;
  const { output, signal } = context;
  const failures: unknown[] = [];
  for (const target of targets) {
    try {
      await explained(invocation, target, context, async () => {
        await send(callOf(command, target, input));
        output.say(doneMessage(command, target));
      });
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
      const failure = await failureOf(error);
      await output.fail({ ...failure, message: `${idOf(command, target)}: ${failure.message}` });
    }
  }
  if (failures.length === 0) return;
  if (failures.length < targets.length) throw partlyDone(failures.length, targets.length);
  throw allFailed(targets.length, failures[0]);
};

/** Where an id was not found, says so when it does not even look like one of that kind. */
const explained = async (
  { command }: Invocation,
  target: Record<string, string>,
  { output }: Context,
  run: () => Promise<void>,
): Promise<void> => {
  try {
    await run();
  } catch (error) {
    const unknownId =
      error instanceof Error && "status" in error && (error.status === 404 || error.status === 422);
    for (const { name, prefix, resource } of unknownId ? command.arguments : []) {
      const prefixTyped = /^[a-z]+_/.exec(target[name] ?? "")?.[0];
      if (prefix === undefined || prefixTyped === undefined || prefixTyped === prefix) continue;
      output.say(
        `${target[name]} does not look like the id of a ${resource ?? "resource"}: those begin with ${prefix}.`,
      );
    }
    throw error;
  }
};
