import { setTimeout as sleep } from "node:timers/promises";
import { LoadClient } from "../crash/client.js";
import { verifyObjects } from "../crash/postgres-objects.js";
import { Random } from "../crash/random.js";
import { steps, whileStoppedAt } from "../crash/steps.js";
import { eventually } from "../crash/violation.js";
import type { ServePlace } from "./place.js";
import type { ServerProcess } from "./server-process.js";

const clientCount = 6;

/** Steps of work that the API offers of a service, without those of backups, which only a development server makes on demand. */
const reachableSteps = steps.filter(({ name }) => name !== "store a backup").map(({ name }) => name);

/** Clients that change databases through the proxy, and what they know. */
export class Load {
  readonly #clients: LoadClient[];
  readonly #random: Random;

  constructor(
    private readonly place: ServePlace,
    seed: string,
  ) {
    this.#random = new Random(seed);
    this.#clients = Array.from({ length: clientCount }, (_, index) => {
      const name = `${seed}${String(index)}`;
      return new LoadClient(place, new Random(name), name);
    });
  }

  /**
   * Causes a fault while the clients work, and verifies what they know after they have ended.
   */
  async during(cause: () => Promise<void>): Promise<void> {
    const work = Promise.all(this.#clients.map((client) => client.run()));
    const failure = new Promise<never>((_, reject) => void work.catch(reject));
    try {
      await Promise.race([cause(), failure]);
      await sleep(this.#random.below(500));
    } finally {
      for (const client of this.#clients) client.stop();
    }
    await work;
    await eventually("The service is not available", async () => {
      const { status } = await this.place.call(this.place.tokens[0], "GET", "/v1/projects?limit=1");
      return status === 200 ? undefined : String(status);
    });
    for (const client of this.#clients) await client.verify();
  }

  /** Waits until Postgres has what the records say, and nothing else. Returns how long that took, in milliseconds. */
  async settle(): Promise<number> {
    const startedAt = performance.now();
    await verifyObjects(this.place, this.place.before);
    return performance.now() - startedAt;
  }

  /**
   * Does something to a server at a random moment, or while one of its statements waits before the next named step.
   *
   * @param index number of the fault. Every second one is at a step, and these take the steps in turn.
   * @returns the moment, for messages.
   */
  async atMoment(index: number, work: (server: ServerProcess) => Promise<void>): Promise<string> {
    const step = index % 2 === 1 ? reachableSteps[((index - 1) / 2) % reachableSteps.length] : undefined;
    if (step === undefined) {
      const delayMs = this.#random.below(1_500);
      await sleep(delayMs);
      await work(this.#random.pick(this.place.servers));
      return `after ${String(delayMs)} ms`;
    }
    const isReached = await whileStoppedAt(this.place, step, async (backend) => {
      await work((await this.#findServer(backend)) ?? this.#random.pick(this.place.servers));
    });
    return `before "${step}"${isReached ? "" : ", which was not reached"}`;
  }

  /** Returns the server that has a session. */
  async #findServer(backend: number | undefined): Promise<ServerProcess | undefined> {
    if (backend === undefined) return undefined;
    const admin = await this.place.connectAsAdmin();
    try {
      const { rows } = await admin.query<{ id: string }>(
        `select substring(application_name from '[0-9a-f]{16}$') as id from pg_stat_activity where pid = $1`,
        [backend],
      );
      // Servers were started in the order of the list.
      const { rows: servers } = await admin.query<{ id: string }>(
        "select id from mgmt.servers where fenced_at is null order by started_at desc limit $1",
        [this.place.servers.length],
      );
      return this.place.servers[servers.toReversed().findIndex(({ id }) => id === rows[0]?.id)];
    } finally {
      await admin.end();
    }
  }
}
