import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import type { Input } from "../input/read-input.js";
import type { DryRunFormat } from "../input/dry-run-option.js";
import { resolveAccess } from "../profiles/resolve-access.js";
import { connect, connectTo, connectWithoutCredential } from "../service/connect.js";
import type { PlannedRequest } from "../output/curl-line.js";
import { DryRun, printRequests, SequenceDryRun } from "../service/dry-run.js";
import { ensure } from "./ensure.js";
import { createCommandCall, type Invocation } from "./invocation.js";
import { issueCredentials } from "./issue-credentials.js";
import { existedNotice } from "./messages.js";
import { NewDatabases } from "./new-databases.js";
import type { CommandDefinition } from "../contract/command-definition.js";

type Target = Record<string, string>;

/** Prints the requests of an operation instead of sending them. */
export const dryRunOperation = async (
  { command, override, flags, ensures }: Pick<Invocation, "command" | "override" | "flags" | "ensures">,
  format: DryRunFormat,
  inputs: readonly { readonly target: Target; readonly input: Input }[],
  context: Context,
): Promise<void> => {
  const requests = override.createsDatabase ? await completed(inputs, flags, context) : inputs;
  const recorded: PlannedRequest[] = [];
  for (const { target, input } of requests) {
    if (ensures) recorded.push(...(await recordEnsure(command, target, input, flags, context)));
  }
  if (!ensures) {
    const dryRun = command.credentials ? new SequenceDryRun() : new DryRun();
    const client = await connectWithoutCredential(flags, context, { middleware: [dryRun.middleware] });
    for (const { target, input } of requests) {
      await dryRun.record(() => sendAll(command, target, input, client, context));
    }
    recorded.push(...dryRun.requests);
  }
  const secrets = command.body?.fields.filter(({ secret }) => secret).map(({ path }) => path) ?? [];
  await printRequests(recorded, format, secrets, context);
};

/** Fills in missing fields of new databases. Without a credential to read a region, the service chooses it. */
const completed = async (
  inputs: readonly { readonly target: Target; readonly input: Input }[],
  flags: Invocation["flags"],
  context: Context,
): Promise<{ target: Target; input: Input }[]> => {
  const access = await resolveAccess(flags, context);
  const client = access.identity ? await connectTo(access, context) : undefined;
  const newDatabases = new NewDatabases(client, context.signal);
  const requests: { target: Target; input: Input }[] = [];
  for (const { target, input } of inputs) {
    const { notice, ...request } = await newDatabases.complete(target, input);
    if (notice) context.output.notice(notice);
    requests.push({ target, ...request });
  }
  return requests;
};

/** Sends the request of an operation, and the one for the credentials of the new resource. */
const sendAll = async (
  command: CommandDefinition,
  target: Target,
  input: Input,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const { signal } = context;
  const response = await client.request<{ data: { id: string } }>(createCommandCall(command, target, input), {
    signal,
  });
  if (command.credentials) await issueCredentials(command.credentials, response.data, client, context);
};

/** Looks for the resource first, because no request is sent if it exists. */
const recordEnsure = async (
  command: CommandDefinition,
  target: Target,
  { body = {} }: Input,
  flags: Invocation["flags"],
  context: Context,
): Promise<readonly PlannedRequest[]> => {
  const dryRun = new SequenceDryRun();
  let isLooking = true;
  const client = await connect(flags, context, {
    middleware: [
      (request, next) => {
        if (request.method !== "POST" || !isLooking) return dryRun.middleware(request, next);
        isLooking = false;
        // `ensure` looks for the resource after a conflict, and creates it again if it does not exist.
        const error = { code: command.ensure?.conflict ?? "", message: "Not sent" };
        const headers = { "content-type": "application/json" };
        return Promise.resolve({ status: 409, headers, body: JSON.stringify({ error }) });
      },
    ],
  });
  const { created, resource } = await ensure(command, target, body, client, context);
  if (!created) context.output.notice(existedNotice(resource));
  return dryRun.requests;
};
