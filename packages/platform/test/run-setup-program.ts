import { resolveDatabaseTestOptions } from "../src/tests/kit-options.js";
import { runSetup } from "../src/tests/run-setup.js";

/** Runs a command as the setup of test databases. The arguments are the command, its directory, and its limit in milliseconds. */
const [setup = "", cwd = "", timeout = ""] = process.argv.slice(2);
try {
  await runSetup(resolveDatabaseTestOptions({ setup, cwd, setupTimeoutMs: Number(timeout) }), {
    ...{ host: "127.0.0.1", port: 1, database: "none", user: "nobody", password: "secret" },
  });
} catch {
  // As a test runner, this process goes on.
  process.exitCode = 1;
}
