import type { Output } from "../output/output.js";
import type { Transport } from "../sdk/sdk.js";
import type { CommandTrace } from "../tracing/command-trace.js";
import { addDebugNotices } from "./debug-requests.js";

/** The observers of a command's requests. */
interface Observers {
  readonly output: Output;
  readonly trace?: CommandTrace | undefined;
}

/** Wraps a transport: its requests are printed with `--debug`, and belong to the trace of the command. */
export const observeRequests = (transport: Transport, { output, trace }: Observers): Transport => {
  const debuggedTransport = addDebugNotices(transport, output);
  return trace?.traceTransport(debuggedTransport) ?? debuggedTransport;
};
