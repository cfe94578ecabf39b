import { Defaults } from "../control/defaults.js";
import { type ResourceView, createResourceView } from "../control/resource-view.js";
import type { Store } from "../store/store.js";
import { RandomIds } from "../values/random-ids.js";
import { type EngineOptions, assertEngineOptions } from "./engine-options.js";
import { MemoryBackend } from "./memory-backend.js";
import { Server } from "./server.js";

/** A reference server whose state is in memory. Methods that only read or change rows are synchronous. */
export class MemoryServer extends Server<"sync"> {
  /** What a new server starts with: two users with a workspace each, a service token, an agent. */
  readonly defaults: Defaults;
  /** The current resources, to read: `mock.store.projects.list()`. */
  readonly store: ResourceView;
  readonly #backend: MemoryBackend;

  /** @throws TypeError for an option that does not exist or is not valid. */
  constructor(options: EngineOptions = {}) {
    assertEngineOptions(options);
    const { deterministic = null } = options;
    const backend = new MemoryBackend(options);
    const prefix = deterministic === null ? new RandomIds(null).generateLabel(10) : "seeded";
    super(backend, { ...options, requestIdPrefix: `req_${prefix}_` });
    this.#backend = backend;
    this.defaults = new Defaults(() => backend.getContextForControl());
    this.store = createResourceView(() => backend.getContextForControl());
  }

  /**
   * The rows of the current state.
   *
   * @internal
   */
  get rows(): Store {
    return this.#backend.getContextForControl().store;
  }
}
