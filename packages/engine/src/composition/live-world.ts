import { randomBytes } from "node:crypto";
import type { ControlledWorld } from "../control/controlled-world.js";
import { AccessTokens } from "../oauth/access-tokens.js";
import { approvalPages } from "../oauth/approval-endpoint.js";
import { oauthServer } from "../oauth/oauth-server.js";
import { PageGuard, newCookie } from "../oauth/page-guard.js";
import type { SignInGate } from "../oauth/sign-in-gate.js";
import { SigningKeys, newSigningKey } from "../oauth/signing-keys.js";
import { findContract } from "../request/contract-endpoint.js";
import { SealedCursors, newCursorKey } from "../request/cursors.js";
import type { DatabaseEngine } from "../request/database-engine.js";
import { DatabaseWork } from "../request/database-work.js";
import type { RateLimiter } from "../request/limit.js";
import { RandomIds, seedRandom } from "../request/random-ids.js";
import type { Settings } from "../request/settings.js";
import type { World } from "../request/world.js";
import { findUpload, uploadPath } from "../rules/deployments/uploads.js";
import { MemoryStore } from "../store/memory-store.js";
import { type ClockState, VirtualClock } from "../time/clock.js";
import type { JobHandler } from "../time/job-handler.js";
import { runJob } from "./run-job.js";
import { JobQueue } from "../time/job-queue.js";
import type { Job } from "../time/scheduler.js";
import { ChangeHook } from "./change-hook.js";
import { populate } from "./populate.js";
import type { Snapshot } from "./snapshot.js";

/** The world of a server whose state is in memory. Loading a snapshot creates a new world. */
export interface LiveWorld extends World, ControlledWorld {
  readonly store: MemoryStore;
  readonly clock: VirtualClock;
  readonly scheduler: JobQueue;
  readonly databaseEngine: DatabaseEngine;
  readonly ids: RandomIds;
  readonly cursors: SealedCursors;
  readonly keys: SigningKeys;
  readonly changes: ChangeHook;
}

/** Parts that all worlds of a server share. */
export interface ServerParts {
  readonly settings: Settings;
  readonly databaseEngine: DatabaseEngine;
  /** Default: browsers need no key to sign in. */
  readonly gate: SignInGate | undefined;
  readonly rateLimiter: RateLimiter;
  readonly afterMutation: (() => void | Promise<void>) | undefined;
  readonly onDefect: (error: unknown) => void;
}

/** Returns the world with the state of a snapshot. It shares the rows of the snapshot, which are immutable. */
export const worldOf = (snapshot: Snapshot, parts: ServerParts): LiveWorld => {
  const { settings, databaseEngine, gate, onDefect } = parts;
  const store = new MemoryStore();
  store.fill(snapshot.store);
  const clock = new VirtualClock(snapshot.clock);
  const keys = new SigningKeys(snapshot.signingKeys);
  const tokens = new AccessTokens(keys, settings);
  const guard = new PageGuard(randomBytes(32), settings.authUrl, newCookie);
  const oauth = oauthServer({ keys, tokens, guard, gate, onDefect });
  const findApprovalPage = approvalPages(gate);
  const changes = new ChangeHook(parts.afterMutation);
  const world: LiveWorld = {
    store,
    clock,
    ids: new RandomIds(snapshot.random),
    settings,
    databaseEngine,
    databaseWork: new DatabaseWork(),
    keys,
    scheduler: new JobQueue(
      (job, isAwaited) => runJob(job.kind, isAwaited, onDefect, workOn(world, job, isAwaited)),
      snapshot.jobs,
    ),
    cursors: new SealedCursors(Buffer.from(snapshot.cursorKey, "base64url")),
    authenticator: tokens,
    services: { databases: databaseEngine, signer: tokens },
    findEndpoint: (method, path) =>
      oauth.get(path) ?? findUpload(method, path) ?? findApprovalPage(method, path) ?? findContract(path),
    changes,
    transact: (_access, step) => step(world),
    attempt: (job) => world.scheduler.attempt(job),
    finishJobs: (subject) => world.scheduler.finish(world.clock, subject),
    epoch: store,
    countWants: () => [],
    countRequest: (operation, principal) => parts.rateLimiter.count(operation, principal, clock.now()),
    saved: () => changes.saved(store),
    url: (collection, id) => `${settings.baseUrl}/v1/${collection}/${id}`,
    uploadUrl: (deploymentId, key) => settings.baseUrl + uploadPath(deploymentId, key),
  };
  world.scheduler.arm(clock);
  return world;
};

/** Returns the work of a job, which stores its change first and the rows at the end. */
const workOn = (world: LiveWorld, job: Job, isAwaited: boolean) => async (handler: JobHandler) => {
  // The change is stored before the work starts, so that it is completed after a crash. If storing fails, the
  // response reports it.
  if (job.change !== undefined) await world.saved()?.catch(() => undefined);
  await handler(world, job.subject, job.change);
  if (!isAwaited) await world.saved();
};

/** Returns the snapshot of a world. It shares the rows of the world. */
export const snapshotOf = ({ store, keys, cursors, clock, scheduler, ids }: LiveWorld): Snapshot => ({
  version: 2,
  store: store.state,
  signingKeys: [...keys.state],
  cursorKey: cursors.key.toString("base64url"),
  clock: clock.state,
  jobs: scheduler.state,
  random: ids.state,
});

/** Returns the state of a new server. */
export const firstSnapshot = (seed: string | null, clockState: ClockState): Snapshot => {
  const store = new MemoryStore();
  const ids = new RandomIds(seed === null ? null : seedRandom(seed));
  populate(store, new VirtualClock(clockState).now(), ids);
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
