import { PlatformError } from "../errors/platform-error.js";
import { DirectoryInUseError, type DaemonOptions, runDaemon } from "./daemon/run-daemon.js";

/**
 * The daemon: a process in the background that runs the Postgres server for tests until no test runner uses it. Its argument is JSON:
 * `DaemonOptions`. It writes one line of JSON, `DaemonReport`, when runners can connect or when it fails.
 */
const controller = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => controller.abort());
// The runner that has started the daemon exits earlier, which closes the pipe.
process.stdout.on("error", () => undefined);

const report = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  // The runner wrote it.
  const options = JSON.parse(process.argv[2] ?? "{}") as DaemonOptions;
  await runDaemon(options, () => report({ ready: true }), controller.signal);
} catch (error) {
  if (error instanceof DirectoryInUseError) report({ inUse: true });
  else if (error instanceof PlatformError) {
    const { code, message, hint } = error;
    report({ error: { code, message, hint } });
  } else report({ error: { message: error instanceof Error ? error.message : String(error) } });
  process.exitCode = 1;
}
