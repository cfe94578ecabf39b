import { createSigningKey } from "../oauth/signing-keys.js";
import { MemoryStore } from "../store/memory-store.js";
import type { TableStates } from "../store/records.js";
import { VirtualClock } from "../values/clock.js";
import { createCursorKey } from "../values/cursors.js";
import { RandomIds, createRandomState } from "../values/random-ids.js";
import { insertDefaultRows } from "./default-data.js";
import { type EngineOptions, createInitialClockState } from "./engine-options.js";
import { type Snapshot, parseSnapshot } from "./snapshot.js";
import { buildTables } from "./snapshot-tables.js";

interface NewServerOptions extends EngineOptions {
  /** Whether there are users, workspaces and clients for development. Default: true. */
  insertsDefaultRows?: boolean | undefined;
}

/** Returns the rows of all tables of a new server. */
export const createInitialTables = (options: NewServerOptions): TableStates => {
  const { deterministic = null } = options;
  const initialSnapshot = options.initial ? parseSnapshot(options.initial) : createDefaultSnapshot(options);
  const snapshot = options.snapshot ? parseSnapshot(options.snapshot) : initialSnapshot;
  const draws = deterministic === null ? null : createRandomState(`${deterministic} faults`);
  return buildTables(snapshot, { initialSnapshot, draws });
};

const createDefaultSnapshot = (options: NewServerOptions): Snapshot => {
  const { deterministic: seed = null } = options;
  const clock = createInitialClockState(options);
  const store = new MemoryStore();
  const ids = new RandomIds(seed === null ? null : createRandomState(seed));
  if (options.insertsDefaultRows ?? true) insertDefaultRows(store, new VirtualClock(clock).now(), ids);
  return {
    version: 1,
    store: store.state,
    signingKeys: [createSigningKey(seed)],
    cursorKey: createCursorKey(seed),
    clock,
    jobs: [],
    random: ids.state,
  };
};
