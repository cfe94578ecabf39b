import type { MemoryStore } from "../store/memory-store.js";
import type { World } from "./behaviour.js";
import type { VirtualClock } from "./clock.js";
import type { JobQueue } from "./job-queue.js";

/** The world of a running server, whose parts can also be moved, saved and loaded. */
export interface ServerWorld extends World {
  readonly store: MemoryStore;
  readonly clock: VirtualClock;
  readonly scheduler: JobQueue;
}
