import { OAuthError } from "../oauth/oauth-error.js";
import { RequestError } from "../request/request-error.js";
import type { Transactions } from "../request/transactions.js";
import type { World } from "../request/world.js";
import type { Access, Backing } from "../store/backing.js";
import { replay } from "../store/replay.js";
import type { Want } from "../store/want.js";
import type { Clock } from "../time/clock.js";
import type { JobQueue } from "../time/job-queue.js";
import type { Job, Scheduler } from "../time/scheduler.js";
import { Tape } from "./tape.js";

/**
 * Runs steps on a partial store. Jobs that a step schedules or cancels reach the scheduler of the server when the
 * transaction has committed.
 *
 * @param server the world of the server, whose store the steps do not use.
 */
export const replayedTransactions = (server: () => JobServer, backing: Backing): Transactions => ({
  transact: async <T>(
    access: Access,
    step: (world: World) => T,
    wants?: () => readonly Want[],
  ): Promise<T> => {
    const world = server();
    const tape = new Tape(world.ids, world.clock);
    let recorded = new RecordedJobs();
    try {
      const value = await replay(
        backing,
        ({ tables }) => {
          tape.rewind();
          recorded = new RecordedJobs();
          const { ids, clock } = tape;
          return step({ ...world, store: tables.store, ids, clock, scheduler: recorded });
        },
        { access, isRefusal, ...(wants && { wants: wants() }) },
      );
      recorded.passTo(world);
      return value;
    } catch (error) {
      if (isRefusal(error)) recorded.passTo(world);
      throw error;
    }
  },
});

/** A world whose jobs are in a queue. */
interface JobServer extends World {
  readonly scheduler: JobQueue;
}

const isRefusal = (error: unknown): boolean => error instanceof RequestError || error instanceof OAuthError;

/** Records the calls of a scheduler. */
class RecordedJobs implements Scheduler {
  readonly #calls: ((queue: JobQueue, clock: Clock) => void)[] = [];

  schedule: Scheduler["schedule"] = (clock, kind, subject, delay, change) => {
    const dueAt = clock.now() + delay;
    const job: Job = { kind, subject, dueAt, ...(change !== undefined && { change }) };
    this.#calls.push((queue, now) => queue.add(now, job));
    return job;
  };

  cancel: Scheduler["cancel"] = (_clock, subject, kind) => {
    this.#calls.push((queue, now) => queue.cancel(now, subject, kind));
  };

  /** Makes the calls, with the clock of the server: that of the step stands still. */
  passTo({ scheduler, clock }: JobServer): void {
    for (const call of this.#calls) call(scheduler, clock);
  }
}
