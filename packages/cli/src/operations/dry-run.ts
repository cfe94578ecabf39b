import type { Context } from "../context.js";
import type { Input } from "../input/read-input.js";
import type { DryRunFormat } from "../program/dry-run-option.js";
import { connect, connectWithoutCredential } from "../service/connect.js";
import { DryRun, NotSent, printRequests } from "../service/dry-run.js";
import { ensure } from "./ensure.js";
import { callOf, type Invocation } from "./invocation.js";
import { existedNotice } from "./messages.js";
import type { OperationCommand } from "./row.js";

type Target = Record<string, string>;

/** Prints the requests of an operation instead of sending them. */
export const dryRunOperation = async (
  { command, flags, ensures }: Invocation,
  format: DryRunFormat,
  targets: readonly Target[],
  input: Input,
  context: Context,
): Promise<void> => {
  const dryRun = new DryRun(ensures ? ["GET"] : []);
  const { signal } = context;
  if (ensures) {
    await recordEnsure(dryRun, command, targets[0] ?? {}, input, flags, context);
  } else {
    const client = await connectWithoutCredential(flags, context, { middleware: [dryRun.middleware] });
    for (const target of targets) {
      await dryRun.record(() => client.request(callOf(command, target, input), { signal }));
    }
  }
  const secrets = command.body?.fields.filter(({ secret }) => secret).map(({ path }) => path) ?? [];
  await printRequests(dryRun.requests, format, secrets, context);
};

/** Looks for the resource first, because no request is sent if it exists. */
const recordEnsure = async (
  dryRun: DryRun,
  command: OperationCommand,
  target: Target,
  { body = {} }: Input,
  flags: Invocation["flags"],
  context: Context,
): Promise<void> => {
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
  try {
    const { resource } = await ensure(command, target, body, client, context);
    context.output.notice(existedNotice(resource));
  } catch (error) {
    if (!(error instanceof NotSent)) throw error;
  }
};
