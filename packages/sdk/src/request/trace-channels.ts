import diagnostics from "node:diagnostics_channel";

/**
 * What can be traced: a call, or one of its attempts. The channels are `tracing:@mgmt/sdk:<name>:start` and so on. See
 * https://nodejs.org/api/diagnostics_channel.html#class-tracingchannel.
 */
export type TracedName = "call" | "attempt";

const openChannel = (name: TracedName) => diagnostics.tracingChannel(`@mgmt/sdk:${name}`);
const channels = { call: openChannel("call"), attempt: openChannel("attempt") };

/** Returns the channel if anything subscribes to it. */
export const channelOf = (name: TracedName) => {
  const channel = channels[name];
  return channel.hasSubscribers ? channel : undefined;
};
