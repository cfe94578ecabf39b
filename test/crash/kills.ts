import { setTimeout as sleep } from "node:timers/promises";
import {
  commandLine,
  descendantsOf,
  killAll,
  running,
  signalAll,
} from "../../packages/platform/test/processes.js";
import { type FullDisk, killPostmasterOnFullDisk, startOnFullDisk } from "./full-disk.js";
import type { MgmtDev } from "./mgmt-dev.js";
import { killMigration } from "./migration.js";
import type { Random } from "./random.js";
import { steps, stopAt } from "./steps.js";
import { Violation, eventually } from "./violation.js";

/**
 * Which processes a kill ends. `frozen` suspends Postgres first, `terminate` is an orderly end, `first start` kills a platform
 * that creates another data directory, and `migration` one that migrates another data directory of an earlier version. On a
 * `full disk`, Postgres does not start.
 */
export const victims = [
  "platform",
  "platform and watchdog",
  "watchdog, then platform",
  "watchdog",
  "postmaster",
  "backend",
  "all",
  "restart",
  "first start",
  "migration",
  "frozen platform",
  "frozen, then terminate",
  "terminate",
  "postmaster on a full disk",
  "platform on a full disk",
] as const;

export interface KillPlan {
  victim: (typeof victims)[number];
  /** Name of the step that the platform has reached; undefined for a random moment. */
  step: string | undefined;
  /** Milliseconds until the kill, without a step. */
  after: number;
}

/** @param index Number of the kill. Every second one is at a step, and these take the steps in turn. */
export const planKill = (random: Random, index: number): KillPlan => {
  const victim = random.pick(victims);
  const step = index % 2 === 1 ? steps[((index - 1) / 2) % steps.length]?.name : undefined;
  return { victim, step, after: random.below(600) };
};

export const describeKill = ({ victim, step, after }: KillPlan): string =>
  `kill ${victim} ${step === undefined ? `after ${String(after)} ms` : `before it can ${step}`}`;

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
      await this.#kill(plan, undefined);
      return false;
    }
    const { backend, release } = await stopAt(this.#dev, step);
    if (backend !== undefined) reached();
    try {
      await this.#kill(plan, backend);
    } finally {
      await release();
    }
    return backend !== undefined;
  }

  async #kill({ victim, after }: KillPlan, backend: number | undefined): Promise<void> {
    const dev = this.#dev;
    const { pid } = dev.ready;
    const watchdogs = descendantsOf(pid).filter((each) => commandLine(each).includes("mgmt-watchdog"));
    switch (victim) {
      case "platform":
        return this.#killPlatform();
      case "watchdog, then platform":
        killAll(watchdogs);
        // It may have been started again, or not.
        await sleep(after / 10);
        killAll([pid]);
        return dev.ended();
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
      case "migration":
        return killMigration(this.#dev, after);
      case "watchdog":
        killAll(watchdogs);
        return;
      case "platform and watchdog":
        // Stopped first, so that it does not act on the end of the platform.
        signalAll(watchdogs, "SIGSTOP");
        killAll([pid, ...watchdogs]);
        return dev.ended();
      case "postmaster":
        killAll([await dev.postmaster()]);
        return;
      case "postmaster on a full disk":
        return killPostmasterOnFullDisk(dev, this.#disk);
      case "platform on a full disk":
        await this.#killPlatform();
        return startOnFullDisk(dev, this.#disk);
      case "backend":
        killAll([backend ?? (await this.#anyBackend())].filter((each) => each !== undefined));
        return;
      case "all":
        killAll([pid, ...descendantsOf(pid)]);
        return dev.ended();
      case "restart": {
        killAll([pid]);
        await dev.ended();
        const { child } = await dev.launch();
        await sleep(after * 2);
        child.kill("SIGKILL");
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

  async #anyBackend(): Promise<number | undefined> {
    const admin = await this.#dev.connectAsAdmin();
    const { rows } = await admin.query<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'client backend' order by random() limit 1",
    );
    await admin.end().catch(() => undefined);
    return rows[0]?.pid;
  }
}
