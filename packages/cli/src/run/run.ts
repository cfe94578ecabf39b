import type { Call, MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { unexpectedResponseError } from "../errors/response-errors.js";
import { type RequestInput, type InputWithMissing, readInput } from "../input/read-input.js";
import { isObject, getAtPath } from "../json/json-path.js";
import { mightHaveNames, type NamedRequest, type ResolvedRequest } from "./names/possible-names.js";
import type { Notice } from "../output/messages.js";
import { formatWithSecrets, resolveSecretDestination } from "../secrets/secret-destination.js";
import { openSecretOutput, type SecretOutput } from "../secrets/secret-output.js";
import type { ApprovalProgress } from "../service/approval-progress.js";
import { isConfirmedByFlag } from "../profiles/protection.js";
import { connect } from "../service/connect.js";
import { findDefaultTarget, fillDefaults, resolveDefaultTarget } from "./defaults.js";
import { withIdHints } from "./with-id-hints.js";
import { createCommandCall, type Invocation } from "./invocation.js";
import type { CredentialsOutcome } from "./issue-credentials.js";
import {
  createDeletedResult,
  createDeprecationWarning,
  renderDoneMessage,
  createExistedNotice,
  createNotFoundNotice,
  findActionToConfirm,
} from "./messages.js";
import type { CompletedInput } from "./new-databases.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { quoteShellWord } from "../text/shell-word.js";
import { assertIds, type CommandTargets, expandTargets, type PathParameters } from "./targets.js";

/** The state that the steps of one run share. */
interface OperationRun {
  readonly invocation: Invocation;
  readonly client: MgmtClient;
  readonly context: Context;
  readonly secretOutput: SecretOutput;
}

/** Runs any operation: read input → connect → warn → confirm → send → wait → print. */
export const runOperation = async (invocation: Invocation, context: Context): Promise<void> => {
  const { command, override, flags } = invocation;
  const { fields } = context.output.presentation;
  if (fields) await (await import("./assert-fields.js")).assertFields(command, fields);
  const defaultTarget = invocation.ids.length > 0 ? undefined : findDefaultTarget(command, flags, context);
  const resolvedDefault =
    defaultTarget &&
    (await resolveDefaultTarget(defaultTarget, () => connect(flags, context), context.signal));
  const requestedIds = resolvedDefault ? [resolvedDefault.value] : invocation.ids;
  assertIds(command.arguments, requestedIds);
  const filledValues = fillDefaults(
    command,
    invocation.commandLineValues,
    flags,
    context,
    invocation.allProjects,
  );
  const { missingFields, ...values } = await readInput(command, filledValues, context.sources);
  const { unknownNameErrors, ...request } = await resolveRequestNames(
    command,
    { ids: requestedIds, input: values },
    filledValues,
    flags,
    context,
  );
  const inputWithMissing = { ...request.input, missingFields };
  const { ids: completeIds, input } = isRequestComplete(command, request.ids, inputWithMissing)
    ? request
    : await (
        await import("./fill-missing.js")
      ).fillMissing(invocation, request.ids, inputWithMissing, context);
  const targets = expandTargets(command.arguments, completeIds);
  if (invocation.dryRun !== undefined) {
    for (const error of unknownNameErrors.values()) throw error;
    const { printOperationRequests } = await import("./print-operation-requests.js");
    const requests = targets.map((target) => ({ target, input }));
    return printOperationRequests(invocation, invocation.dryRun, requests, context);
  }
  const progress = invocation.approvalWaitOptions && (await createApprovalProgress(context));
  const client = await connect(
    flags,
    context,
    progress && { waitForApproval: { ...invocation.approvalWaitOptions, onProgress: progress.report } },
  );
  if (command.deprecated) await context.output.warn(createDeprecationWarning(command));
  const action = findActionToConfirm(command, override, targets);
  let commandTargets: CommandTargets = { targets, unknownNameErrors };
  if (action !== undefined && !isConfirmedByFlag(flags, context)) {
    const { confirmOperation } = await import("./confirm-operation.js");
    commandTargets = await confirmOperation(command, action, commandTargets, client, flags, context);
  }

  const secretOutput = await openOutputOfSecrets(invocation, input, context);
  try {
    if (targets.length > 1) {
      const { deleteEach } = await import("./delete-each.js");
      return await deleteEach(command, commandTargets, input, client, context);
    }
    const [target = {}] = targets;
    const run: OperationRun = { invocation, client, context, secretOutput };
    const notice = createNotFoundNotice(command, target, resolvedDefault?.from);
    await withIdHints(command, target, context, () => runOnTarget(run, target, input), notice);
  } finally {
    progress?.removeSpinner();
    await secretOutput.close();
  }
};

/** Opens the output of the secrets in the result. Refuses to create secrets that would be lost. */
const openOutputOfSecrets = async (
  { command, secretFlags = {} }: Invocation,
  { body }: RequestInput,
  context: Context,
): Promise<SecretOutput> => {
  const { output } = context;
  const destination = resolveSecretDestination(secretFlags, context);
  if (command.secrets?.issued) {
    const { assertDeliverable } = await import("../secrets/assert-deliverable.js");
    await assertDeliverable(command, body, destination, context);
  }
  output.format = formatWithSecrets(secretFlags, output.format);
  return openSecretOutput(command.secrets, destination, context);
};

/** Returns whether nothing has to be asked for. */
const isRequestComplete = (
  command: GeneratedCommand,
  ids: readonly string[],
  { missingFields, body }: InputWithMissing,
): boolean =>
  ids.length >= command.arguments.length &&
  missingFields.length === 0 &&
  (!command.body?.required || Object.keys(body ?? {}).length > 0);

/** Replaces names by ids. */
const resolveRequestNames = async (
  command: GeneratedCommand,
  request: NamedRequest,
  commandLineValues: Invocation["commandLineValues"],
  flags: Invocation["flags"],
  context: Context,
): Promise<ResolvedRequest> => {
  if (!mightHaveNames(command, request)) return { ...request, unknownNameErrors: new Map() };
  const { NameResolver } = await import("./names/name-resolver.js");
  return new NameResolver(command, await connect(flags, context), flags, context).resolve(
    request,
    commandLineValues,
  );
};

const createApprovalProgress = async ({ output }: Context): Promise<ApprovalProgress> => {
  const progressModule = await import("../service/approval-progress.js");
  return new progressModule.ApprovalProgress(output);
};

const runOnTarget = async (
  run: OperationRun,
  target: PathParameters,
  completeInput: RequestInput,
): Promise<void> => {
  const { invocation, client, context } = run;
  const { command, ensures } = invocation;
  if (command.envelope === "list") return printList(run, createCommandCall(command, target, completeInput));
  const { input, notice } = await completeNewDatabase(run, target, completeInput);
  const call = createCommandCall(command, target, input);
  try {
    if (ensures) return await ensureAndPrint(run, target, input, notice);
    if (notice) context.output.notice(notice);
    const body = await client.request<unknown>(call, { signal: context.signal });
    if (command.envelope === "none") {
      context.output.info(renderDoneMessage(command, target));
      if (command.method === "DELETE")
        await context.output.writeItemResults([createDeletedResult(command, target)]);
      const failedWait = await waitUntilSettled(run, target, input, {});
      if (failedWait) throw failedWait.error;
      return;
    }
    const value = command.envelope === "data" ? getAtPath(body, ["data"]) : body;
    if (!isObject(value)) throw unexpectedResponseError("one resource");
    const { resource, failure } = await addCredentials(run, value);
    await printResource(run, target, input, { resource, failure, schema: command.resource, isNew: true });
  } catch (error) {
    if (command.method === "GET") throw error;
    const { explainLostResponse } = await import("./lost-response.js");
    throw await explainLostResponse(error, command, target, input, context);
  }
};

/** Fills in missing fields of a new database. */
const completeNewDatabase = async (
  { invocation, client, context }: OperationRun,
  target: PathParameters,
  input: RequestInput,
): Promise<CompletedInput> => {
  if (!invocation.override.createsDatabase) return { input };
  const { NewDatabases } = await import("./new-databases.js");
  return new NewDatabases(client, context.signal).complete(target, input);
};

const addCredentials = async (
  { invocation, client, context }: OperationRun,
  resource: Record<string, unknown>,
): Promise<CredentialsOutcome> => {
  const { credentials } = invocation.command;
  if (!credentials) return { resource };
  const { issueCredentials } = await import("./issue-credentials.js");
  return issueCredentials(credentials, resource, client, context);
};

/** @param notice printed if the resource is created. */
const ensureAndPrint = async (
  run: OperationRun,
  target: PathParameters,
  input: RequestInput,
  notice: Notice | undefined,
): Promise<void> => {
  const { invocation, client, context } = run;
  const { command } = invocation;
  const { ensureResource } = await import("./ensure.js");
  const { created, resource } = await ensureResource(command, target, input.body ?? {}, client, context);
  if (!created) context.output.notice(createExistedNotice(resource));
  else if (notice) context.output.notice(notice);
  const schema = created ? command.resource : command.ensure?.existing;
  await printResource(run, target, input, { resource, schema, isNew: created });
};

const printList = async (
  { invocation, client, context, secretOutput }: OperationRun,
  call: Call,
): Promise<void> => {
  const { command, allPages } = invocation;
  const { output, signal } = context;
  output.assertPrintsLists();
  if (!command.paged) {
    const resources = getAtPath(await client.request<unknown>(call, { signal }), ["data"]);
    if (!Array.isArray(resources)) throw unexpectedResponseError("a list");
    return output.writeResult(await secretOutput.deliverAll(resources), command.resource);
  }
  const pages = client.requestPages(
    allPages ? { ...call, query: buildLargestPageQuery(command, call) } : call,
    {
      signal,
    },
  );
  const assertTargetsExist = async (): Promise<void> => {
    const { assertResourcesExist } = await import("./assert-resources-exist.js");
    await assertResourcesExist(command, { ...call.pathParams, ...call.query }, client, signal);
  };
  if (allPages) {
    const deliverPages = async function* (): AsyncGenerator<unknown[]> {
      let isEmpty = true;
      for await (const { data } of pages.pages()) {
        isEmpty &&= data.length === 0;
        yield secretOutput.deliverAll(data);
      }
      if (isEmpty) await assertTargetsExist();
    };
    return output.writeList(deliverPages(), command.resource);
  }
  const { data, nextCursor } = await pages;
  if (data.length === 0) await assertTargetsExist();
  await output.writeResult(await secretOutput.deliverAll(data), command.resource);
  if (nextCursor === null) return;
  output.notice({
    code: "list:more",
    message: `There are more. --all lists everything, --cursor ${quoteShellWord(nextCursor)} the next page.`,
    nextCursor,
  });
};

/** Reads all pages in few requests, unless the size of a page is given. */
const buildLargestPageQuery = ({ query }: GeneratedCommand, call: Call): object => {
  const limit = query.find(({ flag }) => flag === "limit")?.maximum;
  return { ...(limit !== undefined && { limit }), ...call.query };
};

/** A resource that a command has created, changed, or found. */
interface ResourceToPrint {
  readonly resource: object;
  /** Component schema of the resource. */
  readonly schema: string | undefined;
  /** Whether the command created the resource or its secrets. */
  readonly isNew: boolean;
  /** The error of an earlier step, which is thrown after the resource is printed. */
  readonly failure?: CredentialsOutcome["failure"];
}

/** Prints a resource after it has settled. Throws the error of an earlier step, or of the wait, after that. */
const printResource = async (
  run: OperationRun,
  target: PathParameters,
  input: RequestInput,
  { resource, schema, isNew, failure: earlierFailure }: ResourceToPrint,
): Promise<void> => {
  // The response may contain secrets that are shown only this once, so it is printed however the wait ends.
  const failure = earlierFailure ?? (await waitUntilSettled(run, target, input, resource));
  await run.context.output.writeResult(await run.secretOutput.deliver(resource, isNew), schema);
  if (failure) throw failure.error;
};

/** Waits for the effect of a request if the command line asks for it. Returns the error of the wait, if any. */
const waitUntilSettled = async (
  { invocation: { override, waitMs }, client, context }: OperationRun,
  target: PathParameters,
  { body }: RequestInput,
  response: object,
): Promise<{ readonly error: unknown } | undefined> => {
  if (waitMs === undefined || !override.wait) return undefined;
  const { waitForEffect } = await import("./wait-for-effect.js");
  return waitForEffect(response, override.wait, { target, body }, waitMs, client, context);
};
