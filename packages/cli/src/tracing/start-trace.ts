import type { Output } from "../output/output.js";
import { CommandTrace } from "./command-trace.js";
import { readTraceParent } from "./trace-parent.js";
import { readTraceSettings, type TraceSettings } from "./trace-settings.js";

/** A command that is traced, and where the trace is sent. */
export interface StartedTrace {
  readonly trace: CommandTrace;
  readonly settings: Exclude<TraceSettings, { problem: unknown }>;
}

/**
 * Starts the trace of a command if the environment asks for one. Sets `TRACEPARENT`, so that the programs which the command runs continue
 * the trace. Warns about settings that it cannot use.
 */
export const startTrace = async (
  version: string,
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<StartedTrace | undefined> => {
  const settings = readTraceSettings(env);
  if (settings === undefined) return undefined;
  if ("problem" in settings) {
    await output.warn(settings.problem);
    return undefined;
  }
  const parent = readTraceParent(env);
  const trace = new CommandTrace(version, parent);
  // The trace state belongs to a trace that is not continued.
  if (parent === undefined) delete env["TRACESTATE"];
  env["TRACEPARENT"] = trace.traceparent;
  return { trace, settings };
};
