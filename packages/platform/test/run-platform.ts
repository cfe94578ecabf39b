import { PlatformError, type PlatformOptions, startPlatform } from "../src/index.js";

/** Does what `mgmt dev --output json` does. The argument is the options as JSON. */
const options: PlatformOptions = JSON.parse(process.argv[2] ?? "{}");

try {
  const platform = await startPlatform(options);
  const stop = (): void => void platform.stop();
  process.on("SIGINT", stop).on("SIGTERM", stop);
  console.log(JSON.stringify(platform.ready));
  const failure = await platform.closed;
  if (failure) throw failure;
} catch (error) {
  if (!(error instanceof PlatformError)) throw error;
  console.log(JSON.stringify({ code: error.code, message: error.message }));
  process.exitCode = 1;
}
