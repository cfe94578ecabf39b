import { type CollectionName, collectionNames } from "../store/collections.js";
import type { CollectionState } from "../store/memory-collection.js";
import type { StoreState } from "../store/memory-store.js";
import type { TableStates } from "../store/records.js";
import type { Row } from "../store/rows.js";
import {
  type GeneratorRow,
  type InitialRow,
  type Installed,
  type JobRow,
  type ServerRow,
  generatorId,
  initialId,
  nothingInstalled,
  serverId,
} from "../context/server-rows.js";
import { randomText } from "../values/random-bytes.js";
import type { RandomState } from "../values/random-ids.js";
import type { Job } from "../context/scheduler.js";
import type { Snapshot } from "./snapshot.js";

/** The contents of the tables besides a snapshot. */
export interface StoredTables {
  /** The state that a reset restores. */
  readonly initial: Snapshot;
  /** The generator of faults with a probability; null for one that cannot be predicted. */
  readonly draws: RandomState | null;
  /** The faults and limits that the control surface has installed. Default: none. */
  readonly installed?: Installed;
  readonly faults?: CollectionState<Row>;
}

/** Returns the rows of all tables for the state of a snapshot. */
export const tablesOf = (
  snapshot: Snapshot,
  { initial, draws, installed, faults }: StoredTables,
): TableStates => {
  const createdAt = Date.now();
  const server: ServerRow = {
    id: serverId,
    createdAt,
    epoch: randomText(16),
    clock: snapshot.clock,
    signingKeys: snapshot.signingKeys,
    cursorKey: snapshot.cursorKey,
    formKey: randomText(32),
    ...(installed ?? nothingInstalled()),
  };
  const generator: GeneratorRow = { id: generatorId, createdAt, ids: snapshot.random, draws };
  const first: InitialRow = { id: initialId, createdAt, snapshot: initial };
  return {
    ...snapshot.store,
    server: numbered([server, generator, first]),
    jobs: jobsOf(snapshot.jobs),
    faults: faults ?? numbered([]),
  };
};

/** Returns the rows of the jobs of a snapshot. */
export const jobsOf = (jobs: readonly Job[]): CollectionState<JobRow> => {
  const [createdAt, epoch] = [Date.now(), randomText(16)];
  return numbered(
    jobs.map((job, index) => ({ ...job, id: `job_${String(index + 1)}_${epoch}`, createdAt, owner: null })),
  );
};

const numbered = <T extends Row>(rows: readonly T[]): CollectionState<T> => ({
  next: rows.length + 1,
  rows: rows.map((row, index) => [index + 1, row]),
});

/** Returns the row of the table `server` with this id. */
const serverRow = <T extends Row>(states: TableStates, id: string): T => {
  const row = states["server"]?.rows.find(([, row]) => row.id === id)?.[1];
  if (row === undefined) throw new Error(`The records have no row ${id} of a server`);
  // Each id of the table has one type of row.
  return row as T;
};

/** Returns the snapshot of the rows of all tables. */
export const snapshotOfTables = (states: TableStates): Snapshot => {
  const { signingKeys, cursorKey, clock } = serverRow<ServerRow>(states, serverId);
  return {
    version: 1,
    // The tables have the rows of every collection.
    store: Object.fromEntries(collectionNames.map((name) => [name, states[name]])) as unknown as StoreState,
    signingKeys,
    cursorKey,
    clock,
    jobs: (states["jobs"]?.rows ?? []).map(([, row]) => jobOf(row as JobRow)),
    random: serverRow<GeneratorRow>(states, generatorId).ids,
  };
};

/** Returns a job as a snapshot has it. */
export const jobOf = ({ kind, subject, dueAt, change }: JobRow): Job => ({
  kind,
  subject,
  dueAt,
  ...(change !== undefined && { change }),
});

/** Returns the rows of a collection, which have the type `T`. */
export const rowsIn = <T extends Row>(states: TableStates, name: CollectionName | "jobs"): T[] =>
  (states[name]?.rows ?? []).map(([, row]) => row as T);

/** Returns the rows of a collection, which have the type `T`, that the entered state does not have. */
export const rowsRemoved = <T extends Row>(
  left: TableStates,
  entered: TableStates,
  name: CollectionName,
): T[] => {
  const remainingIds = new Set(rowsIn(entered, name).map(({ id }) => id));
  return rowsIn<T>(left, name).filter(({ id }) => !remainingIds.has(id));
};

/** Returns the contents of the tables besides a snapshot. */
export const serverTablesOf = (states: TableStates): Required<StoredTables> => {
  const { rateLimit, rateEpoch, hasFaults, nextFault } = serverRow<ServerRow>(states, serverId);
  return {
    // `keepAsInitial` and the first start store snapshots.
    initial: serverRow<InitialRow>(states, initialId).snapshot as Snapshot,
    draws: serverRow<GeneratorRow>(states, generatorId).draws,
    installed: { ...(rateLimit !== undefined && { rateLimit }), rateEpoch, hasFaults, nextFault },
    faults: states["faults"] ?? numbered([]),
  };
};
