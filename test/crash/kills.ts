import { realpath } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import {
  commandLine,
  descendantsOf,
  killAll,
  processTitled,
  running,
  signalAll,
} from "../../packages/platform/test/processes.js";
import { type FullDisk, killPostmasterOnFullDisk, startOnFullDisk } from "./full-disk.js";
import type { Event, KillPlan, Victim } from "./kill-plan.js";
import type { MgmtDev } from "./mgmt-dev.js";
import { steps, stopAt } from "./steps.js";
import { Violation, eventually } from "./violation.js";

/** How long a recovery may take to begin, in milliseconds. */
const startupPatience = 2_000;

const isPostgres = (line: string): boolean => line.includes("postgres") && !line.includes("mgmt-watchdog");

/** Kills parts of the platform. */
export class Killer {
  readonly #dev: MgmtDev;
  readonly #disk: FullDisk;

  /** @param disk of `dev`. */
  constructor(dev: MgmtDev, disk: FullDisk) {
    this.#dev = dev;
    this.#disk = disk;
  }

  /**
   * Waits for the moment of the plan and kills. Returns whether the step was reached.
   *
   * @param reached called before the kill when the step is reached.
   */
  async kill(plan: KillPlan, reached: () => void): Promise<boolean> {
    const step = steps.find(({ name }) => name === plan.step);
    if (step === undefined) {
      await sleep(plan.after);
      await this.#carryOut(plan, undefined);
      return false;
    }
    const { backend, release } = await stopAt(this.#dev, step);
    if (backend !== undefined) reached();
    try {
      await this.#carryOut(plan, backend);
    } finally {
      await release();
    }
    return backend !== undefined;
  }

  #carryOut({ what, after }: KillPlan, backend: number | undefined): Promise<void> {
    return typeof what === "string" ? this.#cause(what, after) : this.killProcesses(what, backend);
  }

  /** Kills the processes, each as soon as the one before has got the signal. */
  async killProcesses(victims: readonly Victim[], backend?: number): Promise<void> {
    for (const victim of victims) killAll(await this.#find(victim, backend));
  }

  /** Returns no process while there is none of this kind. */
  async #find(victim: Victim, backend: number | undefined): Promise<number[]> {
    const dev = this.#dev;
    const pids = dev.pid === undefined ? [] : [dev.pid];
    switch (victim) {
      case "platform":
        return pids;
      case "watchdog":
        return pids.flatMap(descendantsOf).filter((each) => commandLine(each).includes("mgmt-watchdog"));
      case "postmaster": {
        const pid = await dev.postmaster().catch(() => undefined);
        // The number may have been given to another program.
        return pid !== undefined && commandLine(pid).includes("postgres") ? [pid] : [];
      }
      case "backend":
        return [backend ?? (await this.#backend())].filter((each) => each !== undefined);
      case "startup":
        return this.#startup(backend);
    }
  }

  async #backend(): Promise<number | undefined> {
    return processTitled(await realpath(this.#dev.cluster), "[local]");
  }

  /** Kills a backend unless Postgres recovers already, and waits for the process that does. */
  async #startup(backend: number | undefined): Promise<number[]> {
    const cluster = await realpath(this.#dev.cluster);
    const find = (): number | undefined => processTitled(cluster, "postgres: startup");
    let startup = find();
    if (startup === undefined) killAll(await this.#find("backend", backend));
    for (const deadline = Date.now() + startupPatience; startup === undefined && Date.now() < deadline;) {
      startup = find();
      if (startup === undefined) await sleep(5);
    }
    return startup === undefined ? [] : [startup];
  }

  async #cause(event: Event, after: number): Promise<void> {
    const dev = this.#dev;
    const { pid } = dev.ready;
    const watchdogs = descendantsOf(pid).filter((each) => commandLine(each).includes("mgmt-watchdog"));
    switch (event) {
      case "platform alone":
        return this.#killPlatform();
      case "terminate":
        process.kill(pid, "SIGTERM");
        return this.#leavesNothing(descendantsOf(pid));
      case "frozen platform":
        this.#freeze();
        return this.#killPlatform();
      case "frozen, then terminate":
        this.#freeze();
        process.kill(pid, "SIGTERM");
        return this.#leavesNothing(descendantsOf(pid));
      case "first start":
        return this.#killFirstStart(after * 2);
      case "suspended watchdog and platform":
        // Stopped first, so that it does not act on the end of the platform.
        signalAll(watchdogs, "SIGSTOP");
        killAll([pid, ...watchdogs]);
        return dev.ended();
      case "postmaster on a full disk":
        return killPostmasterOnFullDisk(dev, this.#disk);
      case "platform on a full disk":
        await this.#killPlatform();
        return startOnFullDisk(dev, this.#disk);
      case "all":
        killAll([pid, ...descendantsOf(pid)]);
        return dev.ended();
      case "restart": {
        killAll([pid]);
        await dev.ended();
        const { child } = await dev.launch();
        await sleep(after * 2);
        const ended = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGKILL");
        await ended;
      }
    }
  }

  /** The watchdog ends what is left. */
  #killPlatform(): Promise<void> {
    const { pid } = this.#dev.ready;
    const left = descendantsOf(pid);
    killAll([pid]);
    return this.#leavesNothing(left);
  }

  /** Suspends all processes of Postgres. */
  #freeze(): void {
    const servers = descendantsOf(this.#dev.ready.pid).filter((each) => isPostgres(commandLine(each)));
    signalAll(servers, "SIGSTOP");
  }

  /** Waits until the platform and these processes have ended. */
  async #leavesNothing(pids: readonly number[]): Promise<void> {
    const all = [this.#dev.ready.pid, ...pids];
    await eventually("Processes are left", () => {
      const left = running(all);
      return Promise.resolve(left.length === 0 ? undefined : left.map(commandLine).join("; "));
    });
    await this.#dev.ended();
  }

  /** Kills the first start on a data directory of its own. The second start must work. */
  async #killFirstStart(after: number): Promise<void> {
    const other = await this.#dev.beside();
    const { child } = await other.launch();
    await sleep(after);
    child.kill("SIGKILL");
    await other.start();
    const { status } = await other.call(other.tokens[0], "POST", "/v1/projects", { name: "first" });
    if (status !== 201) throw new Violation(`After a killed first start, a create was ${String(status)}`);
    await other.stop();
    await other.remove();
  }
}
