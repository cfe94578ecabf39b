import { type ChildProcess, spawn } from "node:child_process";
import { PlatformError, startPlatform } from "../src/index.js";

/** Starts a platform when the user cannot start another process. The argument is the options as JSON. */
const sleeping: ChildProcess[] = [];

/** Returns whether another process was started. */
const startAnother = (): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    child.on("spawn", () => resolve(sleeping.push(child) > 0));
    child.on("error", () => resolve(false));
  });

while (await startAnother());
try {
  await startPlatform(JSON.parse(process.argv[2] ?? "{}"));
} catch (error) {
  if (!(error instanceof PlatformError)) throw error;
  console.log(JSON.stringify({ code: error.code, message: error.message, hint: error.hint }));
}
for (const child of sleeping) child.kill("SIGKILL");
