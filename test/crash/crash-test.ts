import { setTimeout as sleep } from "node:timers/promises";
import { LoadClient } from "./client.js";
import { type Target, cause, describeFault, kill, planFault } from "./faults.js";
import { Outage } from "./outage.js";
import { type Objects, makeForeign, readObjects, verifyObjects } from "./postgres-objects.js";
import { Random } from "./random.js";
import { whileStoppedAt } from "./steps.js";
import { Violation, eventually } from "./violation.js";

const clientCount = 8;

/** A platform that clients use, and in which one fault after the other is caused. */
export class CrashTest {
  readonly #clients: LoadClient[];
  readonly #outage: Outage;
  /** Number of faults that have begun, and whether one is under way, or ends the platform in a way of its own. */
  #faults = 0;
  #isCausing = false;
  #isEvent = false;
  #before: Objects = { databases: new Set(), roles: new Map() };

  constructor(
    private readonly target: Target,
    private readonly seed: string,
  ) {
    this.#outage = new Outage(target.dev);
    const names = Array.from({ length: clientCount }, (_, index) => `c${String(index)}`);
    this.#clients = names.map((name) => new LoadClient(target.dev, new Random(`${seed}:${name}`), name));
  }

  async begin(): Promise<void> {
    await this.target.dev.start();
    const admin = await this.target.dev.connectAsAdmin();
    await makeForeign(admin);
    await admin.end();
    this.#before = await readObjects(this.target.dev);
  }

  /** Loads, causes a fault, loads while the platform recovers, and verifies once. */
  async round(index: number): Promise<void> {
    const { dev } = this.target;
    const ending = new AbortController();
    const load = Promise.all(this.#clients.map((client) => client.run()));
    const watches = Promise.all([this.#outage.watch(ending.signal), this.#keepRunning(ending.signal)]);
    const work = async (): Promise<void> => {
      const undo = await this.#cause(index);
      for (const client of this.#clients) client.stop();
      await this.#recover();
      undo();
      await load;
    };
    // The first failure ends the round.
    const failure = new Promise<never>((_, reject) => void Promise.all([load, watches]).catch(reject));
    try {
      await Promise.race([work(), failure]);
    } finally {
      for (const client of this.#clients) client.stop();
      ending.abort();
    }
    await watches;
    await dev.prepare();
    for (const client of this.#clients) await client.verify();
    await verifyObjects(dev, this.#before);
  }

  /** Causes the fault of a round while the load goes on. Returns what to do when the API is available again. */
  async #cause(index: number): Promise<() => void> {
    const { dev } = this.target;
    const fault = planFault(new Random(`${this.seed}:fault:${String(index)}`), index);
    const { what, step, after, load, second } = fault;
    let undo = (): void => undefined;
    const carryOut = async (backend?: number): Promise<void> => {
      this.#isEvent = typeof what === "string";
      if (typeof what === "string") undo = await cause(what, this.target, after);
      else await kill(dev, what, backend);
    };
    const isReached = await this.#whileCausing(async () => {
      if (step !== undefined) return whileStoppedAt(dev, step, carryOut);
      await sleep(after);
      await carryOut();
      return true;
    });
    console.log(`${String(index)}: ${describeFault(fault)}${isReached ? "" : " (step not reached)"}`);
    this.#outage.begin(describeFault(fault));
    await sleep(second?.after ?? load);
    if (second === undefined) return undo;
    await this.#whileCausing(() => kill(dev, second.what));
    this.#outage.begin(describeFault(fault));
    await sleep(load - second.after);
    return undo;
  }

  async #whileCausing<T>(work: () => Promise<T>): Promise<T> {
    this.#faults += 1;
    this.#isCausing = true;
    return work().finally(() => {
      this.#isCausing = false;
      this.#isEvent = false;
    });
  }

  /** Starts the platform again whenever it has ended, as a process manager does. A start may only fail during a fault. */
  async #keepRunning(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await sleep(10)) {
      if (this.#isEvent || this.target.dev.isRunning) continue;
      const faults = this.#isCausing ? undefined : this.#faults;
      await this.target.dev.startAgain().catch((error: unknown) => {
        if (faults === this.#faults || !(error instanceof Violation)) throw error;
      });
    }
  }

  #recover(): Promise<void> {
    const { dev } = this.target;
    return eventually("mgmt dev does not recover", async () => {
      const { status } = await dev.call(dev.tokens[0], "GET", "/v1/me");
      const admin = await dev.connectAsAdmin();
      await admin.end();
      if (!this.#outage.isOver) return "the API is away";
      return status === 200 ? undefined : String(status);
    });
  }
}
