import type { Context } from "../../input/context.js";
import { inheritedEnvironment } from "../../output/inherited-environment.js";
import { exitStatusOf } from "../run/run-program.js";

/**
 * Runs the command of `--setup` in a shell, with the connection string in its environment. What it prints goes to standard error,
 * because standard output is for the result. Returns its exit status.
 */
export const runSetup = (
  command: string,
  variables: Readonly<Record<string, string>>,
  { env, cwd, interruption }: Pick<Context, "env" | "cwd" | "interruption">,
): Promise<number> => {
  const [shell, args] =
    process.platform === "win32"
      ? [env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", command]]
      : ["/bin/sh", ["-c", command]];
  return exitStatusOf(shell, args, {
    cwd,
    env: { ...inheritedEnvironment(env), ...variables },
    stdio: ["ignore", 2, 2],
    interruption,
    // The run ends with the signal once the setup has ended.
    onSignal: (signal) => interruption.interrupt(signal),
    notFound: "Install a shell, or run the setup yourself with mgmt run.",
  });
};
