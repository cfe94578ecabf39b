import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import type { RequestInput } from "../input/read-input.js";
import type { DryRunFormat } from "../input/dry-run-option.js";
import { resolveAccess } from "../profiles/resolve-access.js";
import { connect, connectWithAccess, connectWithoutCredential } from "../service/connect.js";
import type { PlannedRequest } from "../output/curl-line.js";
import { DryRun, printRequests, SequenceDryRun } from "../service/dry-run.js";
import { ensureResource } from "./ensure.js";
import { createCommandCall, type Invocation } from "./invocation.js";
import { issueCredentials } from "./issue-credentials.js";
import { createExistedNotice } from "./messages.js";
import { NewDatabases } from "./new-databases.js";
import type { PathParameters } from "./targets.js";
import type { GeneratedCommand } from "../contract/generated-command.js";

/** Prints the requests of an operation instead of sending them. */
export const printOperationRequests = async (
  { command, override, flags, ensures }: Pick<Invocation, "command" | "override" | "flags" | "ensures">,
  format: DryRunFormat,
  inputs: readonly { readonly target: PathParameters; readonly input: RequestInput }[],
  context: Context,
): Promise<void> => {
  const requests = override.createsDatabase ? await completeInputs(inputs, flags, context) : inputs;
  const recordedRequests: PlannedRequest[] = [];
  for (const { target, input } of requests) {
    if (ensures) recordedRequests.push(...(await recordEnsure(command, target, input, flags, context)));
  }
  if (!ensures) {
    const dryRun = command.credentials ? new SequenceDryRun() : new DryRun();
    const client = await connectWithoutCredential(flags, context, { middleware: [dryRun.middleware] });
    for (const { target, input } of requests) {
      await dryRun.record(() => sendWithCredentials(command, target, input, client, context));
    }
    recordedRequests.push(...dryRun.requests);
  }
  const secrets = command.body?.fields.filter(({ secret }) => secret).map(({ path }) => path) ?? [];
  await printRequests(recordedRequests, format, secrets, context);
};

/** Fills in missing fields of new databases. Without a credential to read a region, the service chooses it. */
const completeInputs = async (
  inputs: readonly { readonly target: PathParameters; readonly input: RequestInput }[],
  flags: Invocation["flags"],
  context: Context,
): Promise<{ target: PathParameters; input: RequestInput }[]> => {
  const access = await resolveAccess(flags, context);
  const client = access.identity ? await connectWithAccess(access, context) : undefined;
  const newDatabases = new NewDatabases(client, context.signal);
  const requests: { target: PathParameters; input: RequestInput }[] = [];
  for (const { target, input } of inputs) {
    const { notice, ...request } = await newDatabases.complete(target, input);
    if (notice) context.output.notice(notice);
    requests.push({ target, ...request });
  }
  return requests;
};

/** Sends the request of an operation, and the one for the credentials of the new resource. */
const sendWithCredentials = async (
  command: GeneratedCommand,
  target: PathParameters,
  input: RequestInput,
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
  command: GeneratedCommand,
  target: PathParameters,
  { body = {} }: RequestInput,
  flags: Invocation["flags"],
  context: Context,
): Promise<readonly PlannedRequest[]> => {
  const dryRun = new SequenceDryRun();
  let isFirstCreate = true;
  const client = await connect(flags, context, {
    middleware: [
      (request, next) => {
        if (request.method !== "POST" || !isFirstCreate) return dryRun.middleware(request, next);
        isFirstCreate = false;
        // `ensure` looks for the resource after a conflict, and creates it again if it does not exist.
        const error = { code: command.ensure?.conflict ?? "", message: "Not sent" };
        const headers = { "content-type": "application/json" };
        return Promise.resolve({ status: 409, headers, body: JSON.stringify({ error }) });
      },
    ],
  });
  const { created, resource } = await ensureResource(command, target, body, client, context);
  if (!created) context.output.notice(createExistedNotice(resource));
  return dryRun.requests;
};
