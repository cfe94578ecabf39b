import type { EngineOptions } from "../../src/server/engine-options.js";
import { MemoryServer } from "../../src/server/memory-server.js";
import type { Snapshot } from "../../src/server/snapshot.js";
import type { DefaultResources } from "../../src/server/stored-server.js";
import type { Awaitable } from "../../src/values/awaitable.js";
import type { Server } from "../../src/server/server.js";
import type { Store } from "../../src/store/store.js";

/** What the tests of the API use of an engine, whichever store it has. */
export interface EngineUnderTest extends Server {
  /** Returns the rows of the API, as of one moment. */
  readStore(): Promise<Store>;
  /** Returns what a new server starts with. */
  readDefaults(): Promise<DefaultResources>;
  snapshot(): Awaitable<Snapshot>;
  /** Resolves when no background work is running. */
  idle(): Promise<void>;
}

/** The options that both engines have. */
export type EngineUnderTestOptions = Omit<EngineOptions, "afterMutation">;

type OpenEngine = (options: EngineUnderTestOptions) => Promise<EngineUnderTest>;

/** Adds to an engine in memory what the tests use. */
const inMemory = (engine: MemoryServer): MemoryServer & EngineUnderTest =>
  Object.assign(engine, {
    readStore: () => Promise.resolve(engine.rows),
    readDefaults: () => {
      const { workspace, user, serviceToken, otherWorkspace, otherUser } = engine.defaults;
      return Promise.resolve({ workspace, user, serviceToken, otherWorkspace, otherUser });
    },
  });

/** Opens an engine in memory. `readStore` returns the rows that it uses. */
export const openInMemory: OpenEngine = (options) => Promise.resolve(inMemory(new MemoryServer(options)));

let open = openInMemory;

/** Makes `openEngine` open engines with another store. */
export const useEngines = (other: OpenEngine): void => {
  open = other;
};

/** Returns whether the rows of engines are in memory. */
export const isInMemory = (): boolean => open === openInMemory;

/** Opens an engine: in memory, unless `useEngines` has chosen another one. */
export const openEngine: OpenEngine = (options) => open(options);
