import { setTimeout as sleep } from "node:timers/promises";
import { commandLine, descendantsOf, killAll } from "../../packages/platform/test/processes.js";
import type { MgmtDev } from "./mgmt-dev.js";
import type { Random } from "./random.js";
import { steps, stopAt } from "./steps.js";

/** Which processes a kill ends. */
export const victims = [
  "platform",
  "platform and watchdog",
  "watchdog",
  "postmaster",
  "backend",
  "all",
  "restart",
] as const;

export interface KillPlan {
  victim: (typeof victims)[number];
  /** Name of the step that the platform has reached; undefined for a random moment. */
  step: string | undefined;
  /** Milliseconds until the kill, without a step. */
  after: number;
}

export const planKill = (random: Random): KillPlan => {
  const victim = random.pick(victims);
  const step = random.next() < 0.6 ? random.pick(steps).name : undefined;
  return { victim, step, after: random.below(600) };
};

export const describeKill = ({ victim, step, after }: KillPlan): string =>
  `kill ${victim} ${step === undefined ? `after ${String(after)} ms` : `before it can ${step}`}`;

/** The platform gives up when Postgres ends more than three times a minute, by its own clock. */
const maxPostmasterKills = 2;
const window = 60_000;

/** Kills parts of the platform. */
export class Killer {
  readonly #dev: MgmtDev;
  readonly #postmasterKills: number[] = [];

  constructor(dev: MgmtDev) {
    this.#dev = dev;
  }

  /** Waits for the moment of the plan and kills. Returns whether the step was reached. */
  async kill(plan: KillPlan): Promise<boolean> {
    const step = steps.find(({ name }) => name === plan.step);
    if (step === undefined) {
      await sleep(plan.after);
      await this.#kill(plan, undefined);
      return false;
    }
    const { backend, release } = await stopAt(this.#dev, step);
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
        killAll([pid]);
        return dev.ended();
      case "watchdog":
        killAll(watchdogs);
        return;
      case "platform and watchdog":
        // Stopped first, so that it does not act on the end of the platform.
        for (const watchdog of watchdogs) process.kill(watchdog, "SIGSTOP");
        killAll([pid, ...watchdogs]);
        return dev.ended();
      case "postmaster":
        return this.#killPostmaster();
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

  async #killPostmaster(): Promise<void> {
    const now = Date.now();
    const recent = this.#postmasterKills.filter((time) => now - time < window);
    if (recent.length >= maxPostmasterKills) return;
    this.#postmasterKills.push(now);
    killAll([await this.#dev.postmaster()]);
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
