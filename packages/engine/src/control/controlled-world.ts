import type { DatabaseEngine } from "../request/database-engine.js";
import type { ServerWorld } from "../request/server-world.js";
import type { World } from "../request/world.js";
import type { VirtualClock } from "../time/clock.js";
import type { JobWorld } from "../time/job-handler.js";
import type { JobQueue } from "../time/job-queue.js";

/** The world of a running server, with a clock and a job queue that tests can move. */
export interface ControlledWorld extends World, ServerWorld, JobWorld {
  readonly databaseEngine: DatabaseEngine;
  readonly clock: VirtualClock;
  readonly scheduler: JobQueue;
}
