import type { TracingChannel } from "node:diagnostics_channel";

/** Node's own, where there is one; no bundler sees it, and other runtimes go without. */
const diagnostics = globalThis.process?.getBuiltinModule?.("node:diagnostics_channel");

const channels: Record<string, TracingChannel<object> | undefined> = {
  call: diagnostics?.tracingChannel("@mgmt/sdk:call"),
  attempt: diagnostics?.tracingChannel("@mgmt/sdk:attempt"),
};

/** Tells those who listen when `work` starts, ends and fails; never what it gives, which may be a secret. */
export const trace = async <T>(
  name: "call" | "attempt",
  context: object,
  work: () => Promise<T>,
): Promise<T> => {
  const channel = channels[name];
  if (!channel?.hasSubscribers) return work();
  let value: [T] | undefined;
  await channel.tracePromise(async () => {
    value = [await work()];
  }, context);
  // The promise has been fulfilled, so it is there.
  return (value as unknown as [T])[0];
};
