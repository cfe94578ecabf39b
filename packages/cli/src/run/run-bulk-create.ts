import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { allFailedError, partlyDoneError } from "../errors/run-errors.js";
import { unexpectedResponseError } from "../errors/response-errors.js";
import { missingInputError, usageError } from "../errors/usage-errors.js";
import { formatFlag, type RequestInput, readInput, type CommandLineValues } from "../input/read-input.js";
import { isObject, getAtPath } from "../json/json-path.js";
import { NameResolver } from "./names/name-resolver.js";
import { mightHaveNames } from "./names/possible-names.js";
import type { ItemResult, Output } from "../output/output.js";
import type { Notice } from "../output/messages.js";
import type { DryRunFormat } from "../input/dry-run-option.js";
import { formatWithSecrets, resolveSecretDestination } from "../secrets/secret-destination.js";
import { openSecretOutput, type SecretOutput } from "../secrets/secret-output.js";
import { setsCiVariable } from "../secrets/secret-flags.js";
import { connect } from "../service/connect.js";
import { readBodies } from "./bulk-input.js";
import { fillDefaults } from "./defaults.js";
import { ensureResource } from "./ensure.js";
import { createCommandCall, type Invocation } from "./invocation.js";
import { issueCredentials } from "./issue-credentials.js";
import { explainLostResponse } from "./lost-response.js";
import { createInterruptedCreationNotice } from "./messages.js";
import { NewDatabases } from "./new-databases.js";
import { assertIds, expandTargets, type PathParameters } from "./targets.js";

/** One resource to create, and the line that describes it. */
interface BulkLine {
  readonly line: number;
  /** The flags that go with the line. */
  readonly commandLineValues: CommandLineValues;
  readonly input: RequestInput;
}

/**
 * Creates a resource for each line of a file, and prints a result for each. All lines are checked before the first request.
 * Continues after a failure, and fails in the end if one did. An interruption ends the results, and a notice names the line that was in progress.
 */
export const runBulkCreate = async (
  invocation: Invocation,
  path: string,
  context: Context,
): Promise<void> => {
  const { command, ids, flags } = invocation;
  const { output, signal, changeTracker } = context;
  assertBulkInvocation(invocation);
  await assertSecretsAreShown(invocation, context);
  const bulkLines = await readCheckedLines(invocation, path, context);
  if (bulkLines.length === 0) {
    const source = path === "-" ? "standard input" : path;
    output.notice({ code: "input:empty", message: `No lines were read from ${source}.` });
  }
  if (invocation.dryRun !== undefined)
    return printItemRequests(invocation, invocation.dryRun, bulkLines, context);

  const client = await connect(flags, context);
  const nameResolver = new NameResolver(command, client, flags, context);
  const { secretFlags = {} } = invocation;
  output.format = formatWithSecrets(secretFlags, output.format);
  const destination = resolveSecretDestination(secretFlags, context);
  const secretOutput = await openSecretOutput(command.secrets, destination, context);
  const newDatabases = invocation.override.createsDatabase ? new NewDatabases(client, signal) : undefined;
  const failures: unknown[] = [];
  let isInterrupted = false;
  const createItems = async function* (): AsyncGenerator<ItemResult> {
    for (const [index, bulkLine] of bulkLines.entries()) {
      const { line } = bulkLine;
      let [target, input] = [buildPathParameters(invocation, ids), bulkLine.input];
      try {
        ({ target, input } = await resolveItemNames(invocation, bulkLine, nameResolver));
        const completedInput = await newDatabases?.complete(target, input);
        input = completedInput?.input ?? input;
        const outcome = await createItem(invocation, target, input, client, secretOutput, context);
        if (completedInput?.notice && outcome.status === "created")
          output.notice(prefixLineNumber(line, completedInput.notice));
        output.info(`Line ${line}: ${outcome.id} ${outcome.status}.`);
        yield { line, ...outcome };
      } catch (caughtError) {
        if (signal.aborted) {
          isInterrupted = true;
          const mightBeDone = caughtError !== signal.reason || changeTracker.consumeUnconfirmed();
          output.notice(createInterruptedCreationNotice(line, mightBeDone, bulkLines.length - index - 1));
          return;
        }
        const error = await explainLostResponse(caughtError, command, target, input, context);
        failures.push(error);
        await output.fail(error, { label: `line ${line}` });
        const { exitCode: _, ...failure } = await output.describeFailure(error);
        yield { line, id: null, status: "failed", error: failure };
      }
    }
  };
  try {
    await output.writeItemResults(createItems());
  } finally {
    await secretOutput.close();
  }
  if (isInterrupted) throw signal.reason;
  if (failures.length === 0) return;
  if (failures.length < bulkLines.length) throw partlyDoneError(failures.length, bulkLines.length);
  throw allFailedError(bulkLines.length, failures[0]);
};

/** Throws a usage error for flags that cannot be combined with `--ndjson`, and for a missing or invalid id. */
const assertBulkInvocation = ({ command, ids, commandLineValues, waitMs }: Invocation): void => {
  if (commandLineValues.body !== undefined) throw usageError("--ndjson and --body cannot be combined");
  if (waitMs !== undefined) {
    throw usageError(
      "--ndjson and --wait cannot be combined",
      "Leave out --wait. The commands `get` and `list` show the status.",
    );
  }
  if (ids.length < command.arguments.length) {
    throw missingInputError(`Missing argument '${command.arguments[ids.length]?.label ?? "id"}'`);
  }
  assertIds(command.arguments, ids);
};

const printItemRequests = async (
  invocation: Invocation,
  format: DryRunFormat,
  bulkLines: readonly BulkLine[],
  context: Context,
): Promise<void> => {
  const { command, ids, flags } = invocation;
  const mustConnect = bulkLines.some(({ input }) => mightHaveNames(command, { ids, input }));
  const nameResolver =
    mustConnect && new NameResolver(command, await connect(flags, context), flags, context);
  const requests: { target: PathParameters; input: RequestInput }[] = [];
  for (const bulkLine of bulkLines) {
    requests.push(
      nameResolver
        ? await resolveItemNames(invocation, bulkLine, nameResolver)
        : { target: buildPathParameters(invocation, ids), input: bulkLine.input },
    );
  }
  const { printOperationRequests } = await import("./print-operation-requests.js");
  await printOperationRequests(invocation, format, requests, context);
};

const buildPathParameters = ({ command }: Invocation, ids: readonly string[]): PathParameters =>
  expandTargets(command.arguments, ids)[0] ?? {};

/** Replaces the names in the arguments and in a line. */
const resolveItemNames = async (
  invocation: Invocation,
  { commandLineValues, input }: BulkLine,
  nameResolver: NameResolver,
): Promise<{ target: PathParameters; input: RequestInput }> => {
  const request = { ids: invocation.ids, input };
  const resolvedRequest = mightHaveNames(invocation.command, request)
    ? await nameResolver.resolve(request, commandLineValues)
    : request;
  return { target: buildPathParameters(invocation, resolvedRequest.ids), input: resolvedRequest.input };
};

const prefixLineNumber = (line: number, { message, ...notice }: Notice): Notice => ({
  ...notice,
  message: `Line ${String(line)}: ${message}`,
  line,
});

/** Secrets are returned only once, and a table has no room for them. */
const assertSecretsAreShown = async (
  { command, secretFlags = {}, dryRun }: Invocation,
  context: Context,
): Promise<void> => {
  if (!command.secrets?.issued || dryRun !== undefined) return;
  if (setsCiVariable(secretFlags)) {
    throw usageError(
      "--ndjson cannot be combined with flags that set a variable",
      "Each line has secrets of its own. Pass --secret-file PATH to write them to a file.",
    );
  }
  if (secretFlags.secretFile !== undefined) return;
  if (context.output.format === "table") {
    throw usageError(
      "The new secrets would not be shown",
      "Pass --output json or ndjson, or --secret-file PATH to write them to a file.",
    );
  }
  const { assertDeliverable } = await import("../secrets/assert-deliverable.js");
  const printSample = (output: Output, resource: unknown): Promise<void> =>
    output.writeResult([{ line: 1, id: "id", status: "created", resource }]);
  await assertDeliverable(
    command,
    undefined,
    resolveSecretDestination(secretFlags, context),
    context,
    printSample,
  );
};

const readCheckedLines = async (
  { command, commandLineValues, flags }: Invocation,
  path: string,
  context: Context,
): Promise<BulkLine[]> => {
  const lines = await readBodies(path, context.sources);
  const valuesWithDefaults = fillDefaults(command, commandLineValues, flags, context);
  const bulkLines: BulkLine[] = [];
  for (const { line, body } of lines) {
    // A default does not replace a value of the line; a flag does.
    const effectiveFlags = Object.entries(valuesWithDefaults.flags).filter(
      ([flag]) =>
        flag in commandLineValues.flags ||
        !command.body?.fields.some(
          (field) => field.flag === flag && getAtPath(body, field.path) !== undefined,
        ),
    );
    const completeValues = {
      ...commandLineValues,
      flags: Object.fromEntries(effectiveFlags),
      body: JSON.stringify(body),
      bodySource: `--ndjson: line ${line}`,
    };
    const { missingFields, ...input } = await readInput(command, completeValues, context.sources);
    if (missingFields.length > 0) {
      throw missingInputError(
        `Line ${line}: missing ${missingFields.map(formatFlag).join(", ")}`,
        "Nothing was sent.",
      );
    }
    bulkLines.push({ line, commandLineValues: completeValues, input });
  }
  return bulkLines;
};

const createItem = async (
  { command, ensures }: Invocation,
  target: PathParameters,
  input: RequestInput,
  client: MgmtClient,
  secretOutput: SecretOutput,
  context: Context,
): Promise<{ id: string; status: "created" | "existed"; resource: unknown }> => {
  if (ensures) {
    const { created, resource } = await ensureResource(command, target, input.body ?? {}, client, context);
    return {
      id: String(resource["id"]),
      status: created ? "created" : "existed",
      resource: await secretOutput.deliver(resource, created),
    };
  }
  const response = await client.request<unknown>(createCommandCall(command, target, input), {
    signal: context.signal,
  });
  const newResource = getAtPath(response, ["data"]);
  if (!isObject(newResource)) throw unexpectedResponseError("one resource");
  const { resource, failure } = command.credentials
    ? await issueCredentials(command.credentials, newResource, client, context)
    : { resource: newResource };
  const deliveredResource = await secretOutput.deliver(resource);
  if (failure) throw failure.error;
  return { id: String(newResource["id"]), status: "created", resource: deliveredResource };
};
