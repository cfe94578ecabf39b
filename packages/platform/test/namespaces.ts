import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { PlatformOptions, Ready } from "../src/index.js";
import { findPrograms } from "./cluster.js";
import { commandLine, descendantsOf, killAll } from "./processes.js";

/** As Docker does, gives a program its own processes, shared memory and network, in which only the loopback interface is used. */
const isolate = ["-pinf", "--kill-child", "--mount-proc", "sh", "-c"];
const prepare = "ip link set lo up";

/** Returns why programs cannot have namespaces of their own here; undefined when they can. */
export const whyNoNamespaces = (): string | undefined => {
  if (process.platform !== "linux" || process.geteuid?.() !== 0) return "Only root on Linux makes namespaces";
  const { status, stderr } = spawnSync("unshare", [...isolate, prepare], { encoding: "utf8" });
  return status === 0 ? undefined : `unshare and ip cannot make namespaces: ${stderr}`;
};

/** What a platform prints: how to reach it, or why it did not start. */
type Printed = Partial<Ready> & { code?: string; message?: string };

/** A platform in namespaces of its own, which end with it. The first process in them is a shell, which goes on without the platform. */
export class IsolatedPlatform {
  readonly printed: Printed;
  readonly #child: ChildProcess;

  private constructor(printed: Printed, child: ChildProcess) {
    this.printed = printed;
    this.#child = child;
  }

  static async start(program: string, options: Partial<PlatformOptions>): Promise<IsolatedPlatform> {
    const { binaries } = await findPrograms();
    const command = [process.execPath, program, JSON.stringify({ port: 0, ...options })];
    const child = spawn("unshare", [...isolate, `${prepare}; "$@" || echo {}; sleep 600`, "sh", ...command], {
      cwd: "/",
      env: { ...process.env, MGMT_POSTGRES: binaries.directory },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    return new IsolatedPlatform(JSON.parse(line) as Printed, child);
  }

  /** Returns the processes in the namespaces whose command matches, with their ids out here. */
  processes(command: RegExp): number[] {
    return descendantsOf(this.#child.pid ?? 0).filter((pid) => command.test(commandLine(pid)));
  }

  /** Kills everything in the namespaces. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    killAll(descendantsOf(this.#child.pid ?? 0));
    await ended;
  }
}
