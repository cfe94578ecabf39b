import type { Output } from "../output/output.js";
import { type ExportOptions, exportInBackground } from "./background-export.js";
import type { CommandResult } from "./command-trace.js";
import type { StartedTrace } from "./start-trace.js";
import { readTraceTimeout } from "./trace-settings.js";

/** How long a command waits for its trace where it has to, in milliseconds. */
const waitTimeoutMs = 2_000;

/**
 * Sends the trace of a command that has finished, in the background. Waits for it with `--debug`, which prints whether it was sent, and as
 * the first process of a container, whose exit would terminate the process in the background.
 */
export const finishTrace = async (
  { trace, settings: { protocol, origin } }: StartedTrace,
  commandResult: CommandResult,
  { output, ...options }: ExportOptions & { readonly output: Output },
): Promise<void> => {
  if (!trace.isSampled) return;
  const record = trace.finish(commandResult);
  const isWaiting = output.isDebugging || process.pid === 1;
  const timeoutMs = Math.min(readTraceTimeout(options.env), isWaiting ? waitTimeoutMs : Infinity);
  const outcome = await exportInBackground({ record, protocol, timeoutMs }, options, isWaiting);
  if (outcome === undefined || !output.isDebugging) return;
  const trailer = `of trace ${record.traceId}`;
  output.notice(
    "sentSpans" in outcome
      ? {
          code: "debug:trace_sent",
          message: `Sent ${String(outcome.sentSpans)} spans ${trailer} to ${origin}`,
          traceId: record.traceId,
        }
      : {
          code: "debug:trace_failed",
          message: `The spans ${trailer} could not be sent to ${origin} (${outcome.reason})`,
          traceId: record.traceId,
        },
  );
};
