import { usageError } from "../../errors/usage-errors.js";
import type { Context } from "../../input/context.js";
import { LogLines } from "./log-lines.js";
import { type ServeFlags, loadServeSettings } from "../../platform/serve-options.js";

/** Runs a server of the service until a signal stops it, also during the start. */
export const runServe = async (flags: ServeFlags, context: Context): Promise<void> => {
  const { output, signal } = context;
  if (output.format !== "table" && output.format !== "json")
    throw usageError("mgmt serve writes lines of JSON", "Leave --output out.");
  // Programs that collect logs read both streams.
  if (!output.isTerminal) output.format = "json";
  const { serve, settings } = await loadServeSettings(flags, context);
  output.ignoreStreamErrors();
  const logLines = new LogLines((lines) => output.writeLogLines(lines));
  const flush = (): void => logLines.flush();
  // A listener, because a defect may terminate the process.
  process.once("exit", flush);
  try {
    const service = await serve.startServe(settings, { write: (line) => logLines.add(line) });
    await waitForAbort(signal);
    await service.stop();
  } catch (error) {
    // A start that is given up is not a failure.
    if (!signal.aborted) throw error;
  } finally {
    process.off("exit", flush);
    flush();
  }
};

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
