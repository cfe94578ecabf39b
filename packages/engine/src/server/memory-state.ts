import type { JobHandler } from "../jobs/job-handler.js";
import { JobQueue } from "../jobs/job-queue.js";
import { type JobWhere, TableScheduler } from "../jobs/table-scheduler.js";
import { newSigningKey } from "../oauth/signing-keys.js";
import { type MemoryCollection, MemoryExpiringCollection } from "../store/memory-collection.js";
import { MemoryStore } from "../store/memory-store.js";
import { type ClockState, VirtualClock } from "../values/clock.js";
import { newCursorKey } from "../values/cursors.js";
import { randomText } from "../values/random-bytes.js";
import { RandomIds, seedRandom } from "../values/random-ids.js";
import { RowTexts } from "../world/row-texts.js";
import type { Job } from "../world/scheduler.js";
import { type JobRow, serverTables } from "../world/server-rows.js";
import type { ServerWorld } from "../world/server-world.js";
import type { World } from "../world/world.js";
import { ChangeHook } from "./change-hook.js";
import { type WorldParts, addressesOf, commonWorld } from "./common-world.js";
import { insertDefaults } from "./default-data.js";
import { runJob } from "./run-job.js";
import { keyedPartsOf } from "./server-state.js";
import type { Snapshot } from "./snapshot.js";
import { jobOf, jobsOf } from "./stored-snapshot.js";

/** The state of a server in memory. It is both of its worlds. Loading a snapshot creates a new state. */
export interface MemoryState extends World, ServerWorld<"sync"> {
  readonly store: MemoryStore;
  readonly clock: VirtualClock;
  readonly scheduler: TableScheduler;
  readonly queue: JobQueue;
  readonly jobs: MemoryCollection<JobRow, JobWhere>;
  readonly databaseEngine: WorldParts["databaseEngine"];
  readonly ids: RandomIds;
  readonly changes: ChangeHook;
  /** The keys of the snapshot that the state comes from. */
  readonly keys: Pick<Snapshot, "signingKeys" | "cursorKey">;
}

/** Parts that all states of a server share. */
export interface MemoryParts extends WorldParts {
  readonly countRequest: World["countRequest"];
  readonly afterMutation: (() => void | Promise<void>) | undefined;
  readonly onDefect: (error: unknown) => void;
}

/** Returns the state of a snapshot. It shares the rows of the snapshot, which are immutable. */
export const stateOf = (snapshot: Snapshot, parts: MemoryParts): MemoryState => {
  const { settings, databaseEngine, onDefect } = parts;
  const { signingKeys, cursorKey } = snapshot;
  const store = new MemoryStore();
  store.fill(snapshot.store);
  const clock = new VirtualClock(snapshot.clock);
  const formKey = randomText(32);
  const keyed = keyedPartsOf({ signingKeys, cursorKey, formKey }, parts);
  const changes = new ChangeHook(parts.afterMutation);
  const addresses = addressesOf(settings);
  const jobs = new MemoryExpiringCollection<JobRow, JobWhere>(serverTables.jobs.keys, () =>
    queue.jobsChanged(),
  );
  jobs.fill(jobsOf(snapshot.jobs));
  const queue: JobQueue = new JobQueue({
    jobs,
    clock,
    perform: (job, isAwaited) => runJob(job.kind, isAwaited, onDefect, workOn(state, job, isAwaited)),
  });
  let scheduled = 0;
  const newId = (): string => String((scheduled += 1));
  const state: MemoryState = {
    ...commonWorld(parts, keyed),
    ...addresses,
    store,
    texts: new RowTexts({ store, databaseEngine, url: addresses.url }, () => store.version),
    clock,
    ids: new RandomIds(snapshot.random),
    keys: { signingKeys, cursorKey },
    scheduler: new TableScheduler({ jobs, owner: null, newId }),
    ...{ queue, jobs },
    cursors: keyed.cursors,
    changes,
    transact: (_access, step) => step(state),
    runJob: (job) => queue.runNow(job),
    finishJobs: (subject) => queue.finish(subject),
    epoch: store,
    countWants: () => [],
    countRequest: parts.countRequest,
    saved: () => changes.saved(store),
  };
  queue.arm();
  return state;
};

/** Returns the work of a job, which stores its change first and the rows at the end. */
const workOn = (state: MemoryState, job: Job, isAwaited: boolean) => async (handler: JobHandler) => {
  // The change is stored before the work starts, so that it is completed after a crash. If storing fails, the
  // response reports it.
  if (job.change !== undefined) await state.saved()?.catch(() => undefined);
  await handler(state, job.subject, job.change);
  if (!isAwaited) await state.saved();
};

/** Returns the snapshot of a state. It shares the rows of the state. */
export const snapshotOf = ({ store, keys, clock, jobs, ids }: MemoryState): Snapshot => ({
  version: 1,
  store: store.state,
  ...keys,
  clock: clock.state,
  jobs: jobs.state.rows.map(([, job]) => jobOf(job)),
  random: ids.state,
});

/** Returns the state of a new server. */
export const firstSnapshot = (seed: string | null, clockState: ClockState): Snapshot => {
  const store = new MemoryStore();
  const ids = new RandomIds(seed === null ? null : seedRandom(seed));
  insertDefaults(store, new VirtualClock(clockState).now(), ids);
  return {
    version: 1,
    store: store.state,
    signingKeys: [newSigningKey(seed)],
    cursorKey: newCursorKey(seed),
    clock: clockState,
    jobs: [],
    random: ids.state,
  };
};
