import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { causeText } from "../../errors/cli-error.js";
import { gitFailed, noGitBranches } from "../../errors/preview-errors.js";

const run = promisify(execFile);

/** Returns the branch that a folder is on, or undefined if it is not on a branch of a git repository. */
export const currentBranch = async (cwd: string): Promise<string | undefined> => {
  try {
    const { stdout } = await run("git", ["symbolic-ref", "--quiet", "--short", "HEAD"], { cwd });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
};

/** Returns the branches of a git remote. Throws if there are none, because then every preview would be deleted. */
export const remoteBranches = async (
  remote: string,
  cwd: string,
  signal: AbortSignal,
): Promise<Set<string>> => {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  let output: string;
  try {
    const args = ["ls-remote", "--heads", "--", remote];
    output = (await run("git", args, { cwd, env, signal, maxBuffer: 64 * 2 ** 20 })).stdout;
  } catch (error) {
    signal.throwIfAborted();
    throw gitFailed(problemOf(error));
  }
  const names = [...output.matchAll(/\trefs\/heads\/(.+)$/gm)].map(([, name = ""]) => name);
  if (names.length === 0) throw noGitBranches(remote);
  return new Set(names);
};

/** Returns the message of git without addresses, which may contain a password. */
const problemOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const text = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  const line = text.split("\n")[0] || causeText(error);
  return line.replaceAll(/\/\/[^/\s@]*@/g, "//");
};
