import type { AccessTokens } from "../oauth/access-tokens.js";
import type { SigningKeys } from "../oauth/signing-keys.js";
import type { OAuthServer } from "../oauth/oauth-server.js";
import type { MemoryStore } from "../store/memory-store.js";
import type { World } from "./behavior.js";
import type { ChangeHook } from "./change-hook.js";
import type { VirtualClock } from "../time/clock.js";
import type { SealedCursors } from "./cursors.js";
import type { RandomIds } from "./ids.js";
import type { JobQueue } from "../time/job-queue.js";

/**
 * The world of a running server, whose parts can also be moved and saved. Loading a state makes a new world: what was under
 * way in the old one ends there, and touches nothing of the new one.
 */
export interface ServerWorld extends World {
  readonly store: MemoryStore;
  readonly clock: VirtualClock;
  readonly ids: RandomIds;
  readonly scheduler: JobQueue;
  readonly keys: SigningKeys;
  readonly tokens: AccessTokens;
  readonly oauth: OAuthServer;
  readonly cursors: SealedCursors;
  readonly changes: ChangeHook;
}
