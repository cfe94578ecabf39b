import { ServeError } from "../../packages/platform/src/errors/serve-error.js";
import type { ServeSettings } from "../../packages/platform/src/serve/config-schema.js";
import { startServe } from "../../packages/platform/src/serve/start-serve.js";

/** Runs one server. The argument is its settings as JSON. It ends with the process that started it. */
const settings: ServeSettings = JSON.parse(process.argv[2] ?? "{}");
process.stdin.resume().once("end", () => process.exit());

try {
  const service = await startServe(settings, { write: (line) => void process.stdout.write(line) });
  process.once("SIGTERM", () => void service.stop().then(() => process.exit()));
} catch (error) {
  if (!(error instanceof ServeError)) throw error;
  process.stdout.write(`${JSON.stringify({ msg: "refused", code: error.code, message: error.message })}\n`);
  process.exit(1);
}
