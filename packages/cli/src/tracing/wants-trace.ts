/** The only argument of the process that sends a trace. No help shows it. */
export const exportWord = "export-trace";

/**
 * Returns whether the environment names a collector, without which nothing else of this folder is loaded. A shell runs `mgmt complete`
 * whenever the user presses Tab, which is not a command of the user.
 */
export const wantsTrace = (
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT }: NodeJS.ProcessEnv,
  [word]: readonly string[],
): boolean =>
  Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) && word !== "complete";
