import type { OperationCommand } from "../command-table.js";
import { allFailed, partlyDone, unexpectedAnswer } from "../errors.js";
import { type Input, readInput, type Typed } from "../input/read-input.js";
import { failureOf } from "../output/failure.js";
import { withDefaults } from "../profiles/with-defaults.js";
import type { CommandOverlay } from "../overlay.js";
import type { ApprovalProgress } from "./approval-progress.js";
import { type Call, connect, type Send } from "./connect.js";
import type { Context, GlobalFlags } from "./context.js";
import { allPages, readList } from "./pages.js";
import { deprecationWarning, doneMessage, idOf, questionOf, wrongKindMessages } from "./wording.js";

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
  /** Wait for the sponsor's approval. */
  readonly waitApproval?: { readonly timeoutMs?: number };
}

/** The generic runner: read and check → connect → warn → confirm → send → wait → answer. */
export const runOperation = async (invocation: Invocation, context: Context): Promise<void> => {
  const { command, overlay, targets, typed, flags } = invocation;
  const complete = withDefaults(command, typed, flags, context.env);
  const input = await readInput(command, complete, context.sources);
  const progress = invocation.waitApproval && (await approvalProgress(context));
  const send = await connect(
    flags,
    context,
    progress && { ...invocation.waitApproval, onProgress: progress.tell },
  );
  if (command.deprecated) await context.output.warn(deprecationWarning(command));
  const question = questionOf(command, overlay, targets);
  if (question !== undefined && !flags.yes) {
    const { confirm } = await import("./confirm.js");
    await confirm(question, context);
  }

  try {
    if (targets.length > 1) return await runEach(invocation, input, send, context);
    const [target = {}] = targets;
    await explained(command, target, context, () => runOnce(invocation, target, input, send, context));
  } finally {
    progress?.end();
  }
};

const approvalProgress = async (context: Context): Promise<ApprovalProgress> => {
  const loaded = await import("./approval-progress.js");
  return new loaded.ApprovalProgress(context);
};

const runOnce = async (
  invocation: Invocation,
  target: Record<string, string>,
  input: Input,
  send: Send,
  context: Context,
): Promise<void> => {
  const { command } = invocation;
  const call = callOf(command, target, input);
  if (command.envelope === "list") return answerList(invocation, call, send, context);
  const body = await send(call);
  if (command.envelope === "none") return context.output.say(doneMessage(command, target));
  await answerOne(invocation, body, send, context);
};

const callOf = (
  { method, path }: OperationCommand,
  pathParams: Record<string, string>,
  { query, body }: Input,
): Call => ({ method, path, pathParams, query, ...(body !== undefined && { body }) });

const answerList = async (
  { command, all }: Invocation,
  call: Call,
  send: Send,
  { output }: Context,
): Promise<void> => {
  const { items, nextCursor } = all ? await allPages(send, call) : readList(await send(call));
  await output.answer(items, command.resource);
  if (nextCursor === undefined) return;
  output.notice({
    code: "list:more",
    message: `There is more: --all takes everything, --cursor ${nextCursor} goes on from here.`,
    nextCursor,
  });
};

const answerOne = async (
  { command, overlay, waitMs }: Invocation,
  body: unknown,
  send: Send,
  context: Context,
): Promise<void> => {
  const value = command.envelope === "data" ? (body as { data?: unknown } | undefined)?.data : body;
  if (typeof value !== "object" || value === null) throw unexpectedAnswer("one resource");
  if (waitMs === undefined) return context.output.answer(value, command.resource);
  const { waitForDatabase } = await import("./wait.js");
  // The answer holds secrets that are shown this once: it is printed however the waiting ends.
  const failed = await waitForDatabase(value, overlay.wait ?? "", waitMs, send, context);
  await context.output.answer(value, command.resource);
  if (failed) throw failed.error;
};

/** Several ids: the others go on when one fails, and the run still ends as failed. */
const runEach = async (
  { command, targets }: Invocation,
  input: Input,
  send: Send,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const failures: unknown[] = [];
  for (const target of targets) {
    try {
      await explained(command, target, context, () => send(callOf(command, target, input)));
      output.say(doneMessage(command, target));
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

const explained = async <T>(
  command: OperationCommand,
  target: Record<string, string>,
  { output }: Context,
  run: () => Promise<T>,
): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const unknownId =
      error instanceof Error && "status" in error && [404, 422].includes(Number(error.status));
    if (unknownId) wrongKindMessages(command, target).forEach((message) => output.say(message));
    throw error;
  }
};
