import { AccessTokens } from "../auth/access-tokens.js";
import { SigningKeys, newCursorKey, newSigningKey } from "../auth/signing-keys.js";
import { jobs } from "../behaviours/index.js";
import { ChangeHook } from "../engine/change-hook.js";
import { type ClockState, VirtualClock } from "../engine/clock.js";
import { SealedCursors } from "../engine/cursors.js";
import type { DatabaseEngine } from "../engine/database-engine.js";
import { RandomIds, seedRandom } from "../engine/ids.js";
import { JobQueue } from "../engine/job-queue.js";
import type { Job } from "../engine/scheduler.js";
import type { Settings } from "../engine/settings.js";
import type { Snapshot } from "../engine/snapshot.js";
import { uploadPath } from "../engine/uploads.js";
import type { ServerWorld } from "../engine/world.js";
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
  version: 1,
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
    version: 1,
    store: store.state,
    signingKeys: [newSigningKey(seed)],
    cursorKey: newCursorKey(seed).toString("base64url"),
    clock: clockState,
    jobs: [],
    random: ids.state,
  };
};
