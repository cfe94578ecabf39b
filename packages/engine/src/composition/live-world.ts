import { AccessTokens } from "../oauth/access-tokens.js";
import { SigningKeys, newCursorKey, newSigningKey } from "../oauth/signing-keys.js";
import { jobs } from "../rules/behaviors.js";
import { ChangeHook } from "../request/change-hook.js";
import { type ClockState, VirtualClock } from "../time/clock.js";
import { SealedCursors } from "../request/cursors.js";
import type { DatabaseEngine } from "../request/database-engine.js";
import { RandomIds, seedRandom } from "../request/ids.js";
import { JobQueue } from "../time/job-queue.js";
import type { Job } from "../time/scheduler.js";
import type { Settings } from "../request/settings.js";
import type { Snapshot } from "../request/snapshot.js";
import { uploadPath } from "../request/uploads.js";
import type { ServerWorld } from "../request/world.js";
import { OAuthServer } from "../oauth/oauth-server.js";
import { MemoryStore } from "../store/memory-store.js";
import { populate } from "./initial-world.js";

/** What stays the same from world to world. */
export interface Surroundings {
  readonly settings: Settings;
  readonly databaseEngine: DatabaseEngine;
  readonly afterMutation: (() => void | Promise<void>) | undefined;
  readonly onDefect: (error: unknown) => void;
}

/** The world that a snapshot describes. It shares the snapshot's rows, which nothing changes in place. */
export const worldOf = (snapshot: Snapshot, surroundings: Surroundings): ServerWorld => {
  const { settings, databaseEngine } = surroundings;
  const store = new MemoryStore();
  store.fill(snapshot.store);
  const clock = new VirtualClock(snapshot.clock);
  const ids = new RandomIds(snapshot.random);
  const keys = new SigningKeys(snapshot.signingKeys);
  const tokens = new AccessTokens(keys, store, clock, ids, settings);
  const world: ServerWorld = {
    store,
    clock,
    ids,
    settings,
    databaseEngine,
    keys,
    scheduler: new JobQueue(clock, (job) => perform(world, job, surroundings), snapshot.jobs),
    tokens,
    oauth: new OAuthServer({ store, clock, ids, keys, tokens, settings, onDefect: surroundings.onDefect }),
    cursors: new SealedCursors(Buffer.from(snapshot.cursorKey, "base64url")),
    changes: new ChangeHook(store, surroundings.afterMutation),
    url: (collection, id) => `${settings.baseUrl}/v1/${collection}/${id}`,
    uploadUrl: (deploymentId, key) => settings.baseUrl + uploadPath({ deploymentId, key }),
  };
  world.scheduler.arm();
  return world;
};

const perform = async (world: ServerWorld, job: Job, { onDefect }: Surroundings): Promise<void> => {
  try {
    const handler = jobs[job.kind];
    if (!handler) throw new Error(`There is no handler for jobs of the kind ${job.kind}`);
    await handler(world, job.subject);
    await world.changes.settle();
  } catch (error) {
    onDefect(error);
  }
};

/** The snapshot of a world; it shares the world's rows. */
export const snapshotOf = ({ store, keys, cursors, clock, scheduler, ids }: ServerWorld): Snapshot => ({
  version: 2,
  store: store.state,
  signingKeys: [...keys.state],
  cursorKey: cursors.key.toString("base64url"),
  clock: clock.state,
  jobs: scheduler.state,
  random: ids.state,
});

/** The state that a new server begins with: keys, and the first workspaces. */
export const firstSnapshot = (seed: string | null, clockState: ClockState): Snapshot => {
  const store = new MemoryStore();
  const ids = new RandomIds(seed === null ? null : seedRandom(seed));
  populate(store, new VirtualClock(clockState), ids);
  return {
    version: 2,
    store: store.state,
    signingKeys: [newSigningKey(seed)],
    cursorKey: newCursorKey(seed).toString("base64url"),
    clock: clockState,
    jobs: [],
    random: ids.state,
  };
};
