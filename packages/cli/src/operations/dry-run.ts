import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../context.js";
import type { Input } from "../input/read-input.js";
import type { DryRunFormat } from "../program/dry-run-option.js";
import { connect, connectWithoutCredential } from "../service/connect.js";
import type { PlannedRequest } from "../service/curl-line.js";
import { DryRun, printRequests, SequenceDryRun } from "../service/dry-run.js";
import { ensure } from "./ensure.js";
import { callOf, type Invocation } from "./invocation.js";
import { issueCredentials } from "./issue-credentials.js";
import { existedNotice } from "./messages.js";
import type { OperationCommand } from "./row.js";

type Target = Record<string, string>;

/** Prints the requests of an operation instead of sending them. */
export const dryRunOperation = async (
  { command, flags, ensures }: Pick<Invocation, "command" | "flags" | "ensures">,
  format: DryRunFormat,
  requests: readonly { readonly target: Target; readonly input: Input }[],
  context: Context,
): Promise<void> => {
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

/** Sends the request of an operation, and the one for the credentials of what it creates. */
const sendAll = async (
  command: OperationCommand,
  target: Target,
  input: Input,
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const { signal } = context;
  const response = await client.request<{ data: { id: string } }>(callOf(command, target, input), { signal });
  if (command.credentials) await issueCredentials(command.credentials, response.data, client, context);
};

/** Looks for the resource first, because no request is sent if it exists. */
const recordEnsure = async (
  command: OperationCommand,
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
