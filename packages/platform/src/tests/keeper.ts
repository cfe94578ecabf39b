import { PlatformError } from "../errors/platform-error.js";
import { DirectoryInUseError, type KeeperOptions, runKeeper } from "./keeper/run-keeper.js";

/**
 * The program that keeps the Postgres for tests running. Its argument is JSON: `KeeperOptions`. It writes one line of JSON when runners can
 * connect, or when it fails: `KeeperReport`.
 */
const controller = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => controller.abort());
// The runner that has started it ends earlier.
process.stdout.on("error", () => undefined);

const report = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  // The runner wrote it.
  const options = JSON.parse(process.argv[2] ?? "{}") as KeeperOptions;
  await runKeeper(options, () => report({ ready: true }), controller.signal);
} catch (error) {
  if (error instanceof DirectoryInUseError) report({ inUse: true });
  else if (error instanceof PlatformError) {
    const { code, message, hint } = error;
    report({ error: { code, message, hint } });
  } else report({ error: { message: error instanceof Error ? error.message : String(error) } });
  process.exitCode = 1;
}
