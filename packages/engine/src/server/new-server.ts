import { newSigningKey } from "../oauth/signing-keys.js";
import { MemoryStore } from "../store/memory-store.js";
import type { TableStates } from "../store/records.js";
import { VirtualClock } from "../values/clock.js";
import { newCursorKey } from "../values/cursors.js";
import { RandomIds, seedRandom } from "../values/random-ids.js";
import { insertDefaults } from "./default-data.js";
import { type EngineOptions, startOf } from "./engine-options.js";
import { type Snapshot, readSnapshot } from "./snapshot.js";
import { tablesOf } from "./snapshot-tables.js";

/** Returns the rows of all tables of a new server. */
export const tablesOfNew = (options: EngineOptions): TableStates => {
  const { deterministic = null } = options;
  const initial = options.initial ? readSnapshot(options.initial) : firstSnapshot(options);
  const snapshot = options.snapshot ? readSnapshot(options.snapshot) : initial;
  const draws = deterministic === null ? null : seedRandom(`${deterministic} faults`);
  return tablesOf(snapshot, { initial, draws });
};

const firstSnapshot = (options: EngineOptions): Snapshot => {
  const { deterministic: seed = null } = options;
  const clock = startOf(options);
  const store = new MemoryStore();
  const ids = new RandomIds(seed === null ? null : seedRandom(seed));
  insertDefaults(store, new VirtualClock(clock).now(), ids);
  return {
    version: 1,
    store: store.state,
    signingKeys: [newSigningKey(seed)],
    cursorKey: newCursorKey(seed),
    clock,
    jobs: [],
    random: ids.state,
  };
};
