#!/usr/bin/env node
import { escapeUnsafe } from "@mgmt/engine/internal";
import { MockError } from "./errors/mock-error.js";
import { run } from "./command/run.js";

const stopSignal = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
});

const print = (text: string): void => void process.stdout.write(text);

try {
  await run(process.argv.slice(2), { env: process.env, print, stopped: stopSignal });
} catch (error) {
  const isExpected = error instanceof MockError || error instanceof TypeError;
  const message = isExpected ? error.message : String(error instanceof Error ? error.stack : error);
  // A file or a service may have chosen parts of the message.
  process.stderr.write(`${escapeUnsafe(message)}\n`);
  process.exitCode = error instanceof MockError && error.code === "mock:bad_flag" ? 2 : 1;
}
