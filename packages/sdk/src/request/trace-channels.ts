import type { AttemptTrace, CallTrace } from "./traces.js";

/**
 * The kinds of traces: of a call, or of one of its attempts. The channels are `tracing:@mgmt/sdk:<name>:start` and so on. See
 * https://nodejs.org/api/diagnostics_channel.html#class-tracingchannel.
 */
export type TracedName = "call" | "attempt";

const openTracingChannels = () => {
  // An `import` of a module of Node.js costs much more, and the first of these channels opens with the first call.
  const { tracingChannel } = process.getBuiltinModule("node:diagnostics_channel");
  return { call: tracingChannel("@mgmt/sdk:call"), attempt: tracingChannel("@mgmt/sdk:attempt") };
};
let channels: ReturnType<typeof openTracingChannels> | undefined;

/** Returns the channel if anything subscribes to it. */
export const getObservedChannel = (name: TracedName) => {
  channels ??= openTracingChannels();
  const channel = channels[name];
  return channel.hasSubscribers ? channel : undefined;
};

/** The part of the modules loaded on demand that traces. */
interface Tracer {
  trace<T>(name: TracedName, context: CallTrace | AttemptTrace, callback: () => Promise<T>): Promise<T>;
}

/** Traces `callback` if anything subscribes to the channel. Otherwise, returns undefined and does not run it. */
export const traceIfObserved = <T>(
  name: TracedName,
  context: CallTrace | AttemptTrace,
  callback: () => Promise<T>,
  load: () => Promise<Tracer>,
): Promise<T> | undefined =>
  getObservedChannel(name) && load().then(({ trace }) => trace(name, context, callback));
