import type { ServerWorld } from "../request/server-world.js";
import type { VirtualClock } from "../time/clock.js";
import type { JobQueue } from "../time/job-queue.js";

/** The world of a running server, with a clock and a job queue that can be moved. */
export interface ControlledWorld extends ServerWorld {
  readonly clock: VirtualClock;
  readonly scheduler: JobQueue;
}
