import { spawn } from "node:child_process";
import { bin } from "../../packages/cli/test/bin.js";
import { type Result, resultOf } from "../../packages/cli/test/result.js";

/** Runs the built command in a process of its own, which inherits no variables but `PATH` and `HOME`. */
export const runCommand = async (
  line: string,
  { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Result> => {
  const child = spawn(process.execPath, [bin, ...line.split(" ")], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return resultOf(status, stdout, stderr);
};
