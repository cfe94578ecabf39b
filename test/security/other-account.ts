import { spawn, spawnSync } from "node:child_process";

/** The unprivileged account that attacks come from: `nobody`. */
const nobody = { uid: 65_534, gid: 65_534 };

/** Only root can start a program as another account. */
const start = { ...(process.geteuid?.() === 0 && nobody), cwd: "/", env: {} } as const;

/** Returns why no process can be started under another account here; undefined when it can. */
export const whyNoOtherAccount = (): string | undefined => {
  if (process.platform !== "linux") return "the attacks are written for Linux";
  if (process.geteuid?.() !== 0) return "only root can start processes of another account";
  const { status } = spawnSync(process.execPath, ["--version"], start);
  return status === 0 ? undefined : "another account cannot run Node here";
};

/**
 * Runs the source of an ES module in a process that inherits nothing, and returns the JSON that it prints. It runs as another
 * account if this process is root's.
 *
 * @param source reads its input from the global `input`.
 * @throws Error with what the program printed on standard error if it fails.
 */
export const runAttack = async (source: string, input: object): Promise<unknown> => {
  const child = spawn(process.execPath, ["--input-type=module", "-"], { ...start, stdio: "pipe" });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.end(`globalThis.input = ${JSON.stringify(input)};\n${source}`);
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (status !== 0) throw new Error(`The attack could not be run: ${stderr}`);
  return JSON.parse(stdout);
};
