import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../context.js";
import { allFailed, partlyDone, unexpectedResponse } from "../errors/run-errors.js";
import { missingInput, usageError } from "../errors/usage-errors.js";
import { flagOf, type Input, readInput } from "../input/read-input.js";
import { isObject, valueAt } from "../json-path.js";
import type { ItemResult } from "../output/output.js";
import { type Disclosure, prepareDisclosure } from "../secrets/disclosure.js";
import { connect } from "../service/connect.js";
import { readItems } from "./bulk-input.js";
import { fillDefaults } from "./defaults.js";
import { ensure } from "./ensure.js";
import { callOf, type Invocation } from "./invocation.js";
import { issueCredentials } from "./issue-credentials.js";
import { explainLostResponse } from "./lost-response.js";
import { createInterrupted } from "./messages.js";
import { assertIds, targetsOf } from "./targets.js";

/** One resource to create, and the line that describes it. */
interface Item {
  readonly line: number;
  readonly input: Input;
}

type Target = Record<string, string>;

/**
 * Creates a resource for each line of a file, and prints a result for each. All lines are checked before the first request.
 * Continues after a failure, and fails in the end if one did. Ctrl-C ends the results, and a notice names the line that was under way.
 */
export const runBulkCreate = async (
  invocation: Invocation,
  path: string,
  context: Context,
): Promise<void> => {
  const { command, ids, flags } = invocation;
  const { output, signal } = context;
  if (invocation.typed.body !== undefined) throw usageError("--ndjson and --body cannot be combined");
  if (invocation.waitMs !== undefined) {
    throw usageError(
      "--ndjson and --wait cannot be combined",
      "Leave out --wait. The commands `get` and `list` show the status.",
    );
  }
  if (ids.length < command.arguments.length) {
    throw missingInput(`Missing argument '${command.arguments[ids.length]?.label ?? "id"}'`);
  }
  assertIds(command.arguments, ids);
  assertSecretsAreShown(invocation, context);
  const [target = {}] = targetsOf(command.arguments, ids);
  const items = await checkedItems(invocation, path, context);
  if (invocation.dryRun !== undefined) {
    const { dryRunOperation } = await import("./dry-run.js");
    const requests = items.map(({ input }) => ({ target, input }));
    return dryRunOperation(invocation, invocation.dryRun, requests, context);
  }

  const client = await connect(flags, context);
  const disclosure = await prepareDisclosure(command.secrets, invocation.disclosure ?? {}, context);
  const failures: unknown[] = [];
  let isInterrupted = false;
  const results = async function* (): AsyncGenerator<ItemResult> {
    for (const [index, { line, input }] of items.entries()) {
      try {
        const result = await createOne(invocation, target, input, client, disclosure, context);
        output.info(`Line ${line}: ${result.id} ${result.status}.`);
        yield { line, ...result };
      } catch (thrown) {
        if (signal.aborted) {
          isInterrupted = true;
          output.notice(createInterrupted(line, items.length - index - 1));
          return;
        }
        const error = await explainLostResponse(thrown, command, target, input);
        failures.push(error);
        await output.fail(error, { label: `line ${line}` });
        const { exitCode: _, ...failure } = await output.failureOf(error);
        yield { line, id: null, status: "failed", error: failure };
      }
    }
  };
  try {
    await output.itemResults(results());
  } finally {
    await disclosure.end();
  }
  if (isInterrupted) throw signal.reason;
  if (failures.length === 0) return;
  if (failures.length < items.length) throw partlyDone(failures.length, items.length);
  throw allFailed(items.length, failures[0]);
};

/** Secrets are returned only once, and a table has no room for them. */
const assertSecretsAreShown = ({ command, disclosure, dryRun }: Invocation, { output }: Context): void => {
  if (!command.secrets?.issued || output.format !== "table") return;
  if (disclosure?.secretFile !== undefined || dryRun !== undefined) return;
  throw usageError(
    "The new secrets would not be shown",
    "Pass --output json or ndjson, or --secret-file PATH to write them to a file.",
  );
};

const checkedItems = async (
  { command, typed, flags }: Invocation,
  path: string,
  context: Context,
): Promise<Item[]> => {
  const lines = await readItems(path, context.sources);
  const withDefaults = fillDefaults(command, typed, flags, context);
  const items: Item[] = [];
  for (const { line, body } of lines) {
    // A default does not replace what the line has; a flag does.
    const own = Object.entries(withDefaults.flags).filter(
      ([flag]) =>
        flag in typed.flags ||
        !command.body?.fields.some((field) => field.flag === flag && valueAt(body, field.path) !== undefined),
    );
    const complete = { ...typed, flags: Object.fromEntries(own), body: JSON.stringify(body) };
    const { missing, ...input } = await readInput(command, complete, context.sources);
    if (missing.length > 0) {
      throw missingInput(`Line ${line}: missing ${missing.map(flagOf).join(", ")}`, "Nothing was sent.");
    }
    items.push({ line, input });
  }
  return items;
};

const createOne = async (
  { command, ensures }: Invocation,
  target: Target,
  input: Input,
  client: MgmtClient,
  disclosure: Disclosure,
  context: Context,
): Promise<{ id: string; status: "created" | "existed"; resource: unknown }> => {
  if (ensures) {
    const { created, resource } = await ensure(command, target, input.body ?? {}, client, context);
    return {
      id: String(resource["id"]),
      status: created ? "created" : "existed",
      resource: await disclosure.printed(resource, created),
    };
  }
  const response = await client.request<unknown>(callOf(command, target, input), { signal: context.signal });
  const value = valueAt(response, ["data"]);
  if (!isObject(value)) throw unexpectedResponse("one resource");
  const { resource, failed } = command.credentials
    ? await issueCredentials(command.credentials, value, client, context)
    : { resource: value };
  const printed = await disclosure.printed(resource);
  if (failed) throw failed.error;
  return { id: String(value["id"]), status: "created", resource: printed };
};
