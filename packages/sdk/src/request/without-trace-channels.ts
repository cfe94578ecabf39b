import type * as traceChannels from "./trace-channels.js";

/**
 * The replacement of `trace-channels.ts` for runtimes other than Node.js. The `imports` of `package.json` choose between them,
 * because bundlers for edge runtimes reject code that looks for modules of Node.js.
 */
export const channelOf: typeof traceChannels.channelOf = () => undefined;
