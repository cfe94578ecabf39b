import type { Call, MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { unexpectedResponse } from "../errors/response-errors.js";
import { type Input, type ReadInput, readInput } from "../input/read-input.js";
import { isObject, valueAt } from "../json/json-path.js";
import { hasNames, type Named, type Resolved } from "./names/typed-names.js";
import type { Notice } from "../output/output.js";
import { formatWithSecrets, secretDestination } from "../secrets/secret-destination.js";
import { openSecretOutput, type SecretOutput } from "../secrets/secret-output.js";
import type { ApprovalProgress } from "../service/approval-progress.js";
import { connect } from "../service/connect.js";
import { defaultTarget, fillDefaults, resolveTarget } from "./defaults.js";
import { explainingIds } from "./explaining-ids.js";
import { createCommandCall, type Invocation } from "./invocation.js";
import type { Credentialed } from "./issue-credentials.js";
import {
  deleted,
  deprecationWarning,
  doneMessage,
  existedNotice,
  notFoundNotice,
  questionOf,
} from "./messages.js";
import type { CompleteInput } from "./new-databases.js";
import type { CommandDefinition } from "../contract/command-definition.js";
import { assertIds, targetsOf } from "./targets.js";

type Target = Record<string, string>;

/** The state that the steps of one run share. */
interface Run {
  readonly invocation: Invocation;
  readonly client: MgmtClient;
  readonly context: Context;
  readonly secretOutput: SecretOutput;
}

/** Runs any operation: read input → connect → warn → confirm → send → wait → print. */
export const runOperation = async (invocation: Invocation, context: Context): Promise<void> => {
  const { command, override, flags } = invocation;
  const { fields } = context.output.presentation;
  if (fields) await (await import("./result-schema.js")).assertFields(command, fields);
  const omitted = invocation.ids.length > 0 ? undefined : defaultTarget(command, flags, context);
  const fallback = omitted && (await resolveTarget(omitted, () => connect(flags, context), context.signal));
  const typed = fallback ? [fallback.value] : invocation.ids;
  assertIds(command.arguments, typed);
  const filled = fillDefaults(command, invocation.typed, flags, context, invocation.allProjects);
  const { missing, ...values } = await readInput(command, filled, context.sources);
  const { unknown, ...request } = await withoutNames(
    command,
    { ids: typed, input: values },
    filled,
    flags,
    context,
  );
  const read = { ...request.input, missing };
  const { ids: complete, input } = isComplete(command, request.ids, read)
    ? request
    : await (await import("./fill-missing.js")).fillMissing(invocation, request.ids, read, context);
  const targets = targetsOf(command.arguments, complete);
  if (invocation.dryRun !== undefined) {
    for (const error of unknown.values()) throw error;
    const { dryRunOperation } = await import("./dry-run.js");
    const requests = targets.map((target) => ({ target, input }));
    return dryRunOperation(invocation, invocation.dryRun, requests, context);
  }
  const progress = invocation.waitApproval && (await approvalProgress(context));
  const client = await connect(
    flags,
    context,
    progress && { waitForApproval: { ...invocation.waitApproval, onProgress: progress.report } },
  );
  if (command.deprecated) await context.output.warn(deprecationWarning(command));
  const question = questionOf(command, override, targets);
  if (question !== undefined && !flags.yes) {
    const { confirmChange } = await import("./confirm-change.js");
    await confirmChange(command, question, { targets, unknown }, client, context);
  }

  const secretOutput = await openOutputOfSecrets(invocation, input, context);
  try {
    if (targets.length > 1) {
      const { runEach } = await import("./run-each.js");
      return await runEach(command, { targets, unknown }, input, client, context);
    }
    const [target = {}] = targets;
    const run: Run = { invocation, client, context, secretOutput };
    const notice = notFoundNotice(command, target, fallback?.from);
    await explainingIds(command, target, context, () => runOnce(run, target, input), notice);
  } finally {
    progress?.end();
    await secretOutput.end();
  }
};

/** Opens the output of the secrets in the result. Refuses to create secrets that would be lost. */
const openOutputOfSecrets = async (
  { command, secretFlags = {} }: Invocation,
  { body }: Input,
  context: Context,
): Promise<SecretOutput> => {
  const { output } = context;
  const destination = secretDestination(secretFlags, context);
  if (command.secrets?.issued) {
    const { assertDelivered } = await import("../secrets/assert-delivered.js");
    await assertDelivered(command, body, destination, context);
  }
  output.format = formatWithSecrets(secretFlags, output.format);
  return openSecretOutput(command.secrets, destination, context);
};

/** Whether nothing has to be asked for. */
const isComplete = (
  command: CommandDefinition,
  ids: readonly string[],
  { missing, body }: ReadInput,
): boolean =>
  ids.length >= command.arguments.length &&
  missing.length === 0 &&
  (!command.body?.required || Object.keys(body ?? {}).length > 0);

/** Replaces names by ids. */
const withoutNames = async (
  command: CommandDefinition,
  request: Named,
  typed: Invocation["typed"],
  flags: Invocation["flags"],
  context: Context,
): Promise<Resolved> => {
  if (!hasNames(command, request)) return { ...request, unknown: new Map() };
  const { Names } = await import("./names/resolve-names.js");
  return new Names(command, await connect(flags, context), flags, context).resolve(request, typed);
};

const approvalProgress = async ({ output }: Context): Promise<ApprovalProgress> => {
  const loaded = await import("../service/approval-progress.js");
  return new loaded.ApprovalProgress(output);
};

const runOnce = async (run: Run, target: Target, complete: Input): Promise<void> => {
  const { invocation, client, context } = run;
  const { command, ensures } = invocation;
  if (command.envelope === "list") return printList(run, createCommandCall(command, target, complete));
  const { input, notice } = await completed(run, target, complete);
  const call = createCommandCall(command, target, input);
  try {
    if (ensures) return await printEnsured(run, target, input, notice);
    if (notice) context.output.notice(notice);
    const body = await client.request<unknown>(call, { signal: context.signal });
    if (command.envelope === "none") {
      context.output.info(doneMessage(command, target));
      if (command.method === "DELETE") await context.output.itemResults([deleted(command, target)]);
      const unsettled = await waitUntilSettled(run, target, input, {});
      if (unsettled) throw unsettled.error;
      return;
    }
    const value = command.envelope === "data" ? valueAt(body, ["data"]) : body;
    if (!isObject(value)) throw unexpectedResponse("one resource");
    const { resource, failed } = await withCredentials(run, value);
    await printResource(run, target, input, resource, command.resource, true, failed);
  } catch (error) {
    if (command.method === "GET") throw error;
    const { explainLostResponse } = await import("./lost-response.js");
    throw await explainLostResponse(error, command, target, input, context);
  }
};

/** Fills in missing fields of a new database. */
const completed = async (
  { invocation, client, context }: Run,
  target: Target,
  input: Input,
): Promise<CompleteInput> => {
  if (!invocation.override.createsDatabase) return { input };
  const { NewDatabases } = await import("./new-databases.js");
  return new NewDatabases(client, context.signal).complete(target, input);
};

const withCredentials = async (
  { invocation, client, context }: Run,
  resource: Record<string, unknown>,
): Promise<Credentialed> => {
  const { credentials } = invocation.command;
  if (!credentials) return { resource };
  const { issueCredentials } = await import("./issue-credentials.js");
  return issueCredentials(credentials, resource, client, context);
};

/** @param notice printed if the resource is created. */
const printEnsured = async (
  run: Run,
  target: Target,
  input: Input,
  notice: Notice | undefined,
): Promise<void> => {
  const { invocation, client, context } = run;
  const { command } = invocation;
  const { ensure } = await import("./ensure.js");
  const { created, resource } = await ensure(command, target, input.body ?? {}, client, context);
  if (!created) context.output.notice(existedNotice(resource));
  else if (notice) context.output.notice(notice);
  const schema = created ? command.resource : command.ensure?.existing;
  await printResource(run, target, input, resource, schema, created);
};

const printList = async ({ invocation, client, context, secretOutput }: Run, call: Call): Promise<void> => {
  const { command, all } = invocation;
  const { output, signal } = context;
  output.assertPrintsLists();
  const printItems = async (items: readonly unknown[]): Promise<unknown[]> => {
    const all: unknown[] = [];
    for (const item of items) all.push(await secretOutput.deliver(item));
    return all;
  };
  if (!command.paged) {
    const items = valueAt(await client.request<unknown>(call, { signal }), ["data"]);
    if (!Array.isArray(items)) throw unexpectedResponse("a list");
    return output.result(await printItems(items), command.resource);
  }
  const pages = client.requestPages(all ? { ...call, query: inLargestPages(command, call) } : call, {
    signal,
  });
  const assertListed = async (): Promise<void> => {
    const { assertListed: assertAll } = await import("./assert-listed.js");
    await assertAll(command, { ...call.pathParams, ...call.query }, client, signal);
  };
  if (all) {
    const printedPages = async function* (): AsyncGenerator<unknown[]> {
      let isEmpty = true;
      for await (const { data } of pages.pages()) {
        isEmpty &&= data.length === 0;
        yield printItems(data);
      }
      if (isEmpty) await assertListed();
    };
    return output.list(printedPages(), command.resource);
  }
  const { data, nextCursor } = await pages;
  if (data.length === 0) await assertListed();
  await output.result(await printItems(data), command.resource);
  if (nextCursor === null) return;
  output.notice({
    code: "list:more",
    message: `There are more. --all lists everything, --cursor ${nextCursor} the next page.`,
    nextCursor,
  });
};

/** Reads all pages in few requests, unless the size of a page is given. */
const inLargestPages = ({ query }: CommandDefinition, call: Call): object => {
  const limit = query.find(({ flag }) => flag === "limit")?.maximum;
  return { ...(limit !== undefined && { limit }), ...call.query };
};

const printResource = async (
  run: Run,
  target: Target,
  input: Input,
  value: object,
  schema: string | undefined,
  isNew: boolean,
  earlier?: { readonly error: unknown },
): Promise<void> => {
  // The response may contain secrets that are shown only this once, so it is printed however the wait ends.
  const failed = earlier ?? (await waitUntilSettled(run, target, input, value));
  await run.context.output.result(await run.secretOutput.deliver(value, isNew), schema);
  if (failed) throw failed.error;
};

/** Waits for the effect of a request if the command line asks for it. Returns the error of the wait, if any. */
const waitUntilSettled = async (
  { invocation: { override, waitMs }, client, context }: Run,
  target: Target,
  { body }: Input,
  response: object,
): Promise<{ readonly error: unknown } | undefined> => {
  if (waitMs === undefined || !override.wait) return undefined;
  const { waitForResource } = await import("./wait-for-resource.js");
  return waitForResource(response, override.wait, { target, body }, waitMs, client, context);
};
