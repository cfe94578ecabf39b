import { type CollectionName, collectionNames } from "../store/collections.js";
import type { CollectionState } from "../store/memory-collection.js";
import type { StoreState } from "../store/memory-store.js";
import type { TableStates } from "../store/records.js";
import type { Row } from "../store/rows.js";
import {
  type GeneratorRow,
  type InitialStateRow,
  type ControlSettings,
  type JobRow,
  type ServerRow,
  generatorRowId,
  initialRowId,
  createControlSettings,
  serverRowId,
} from "../context/server-rows.js";
import { randomBase64Url } from "../values/random-bytes.js";
import type { RandomState } from "../values/random-ids.js";
import type { Job } from "../context/scheduler.js";
import type { Snapshot } from "./snapshot.js";

/** The contents of the tables besides a snapshot. */
export interface TablesOutsideSnapshot {
  /** The state that a reset restores. */
  readonly initialSnapshot: Snapshot;
  /** The generator of faults with a probability; null for one that cannot be predicted. */
  readonly draws: RandomState | null;
  /** The faults and limits that the control surface has installed. Default: none. */
  readonly controlSettings?: ControlSettings;
  readonly faults?: CollectionState<Row>;
}

/** Returns the rows of all tables for the state of a snapshot. */
export const buildTables = (
  snapshot: Snapshot,
  { initialSnapshot, draws, controlSettings, faults }: TablesOutsideSnapshot,
): TableStates => {
  const createdAt = Date.now();
  const server: ServerRow = {
    id: serverRowId,
    createdAt,
    epoch: randomBase64Url(16),
    clock: snapshot.clock,
    signingKeys: snapshot.signingKeys,
    cursorKey: snapshot.cursorKey,
    formKey: randomBase64Url(32),
    ...(controlSettings ?? createControlSettings()),
  };
  const generator: GeneratorRow = { id: generatorRowId, createdAt, ids: snapshot.random, draws };
  const initialRow: InitialStateRow = { id: initialRowId, createdAt, snapshot: initialSnapshot };
  return {
    ...snapshot.store,
    server: createCollectionState([server, generator, initialRow]),
    jobs: buildJobRows(snapshot.jobs),
    faults: faults ?? createCollectionState([]),
  };
};

/** Returns the rows of the jobs of a snapshot. */
export const buildJobRows = (jobs: readonly Job[]): CollectionState<JobRow> => {
  const [createdAt, epoch] = [Date.now(), randomBase64Url(16)];
  return createCollectionState(
    jobs.map((job, index) => ({ ...job, id: `job_${String(index + 1)}_${epoch}`, createdAt, owner: null })),
  );
};

const createCollectionState = <T extends Row>(rows: readonly T[]): CollectionState<T> => ({
  next: rows.length + 1,
  rows: rows.map((row, index) => [index + 1, row]),
});

/** Returns the row of the table `server` with this id. */
const requireRowOfServerTable = <T extends Row>(states: TableStates, id: string): T => {
  const row = states["server"]?.rows.find(([, row]) => row.id === id)?.[1];
  if (row === undefined) throw new Error(`The records have no row ${id} of a server`);
  // Each id of the table has one type of row.
  return row as T;
};

/** Returns the snapshot of the rows of all tables. */
export const buildSnapshot = (states: TableStates): Snapshot => {
  const { signingKeys, cursorKey, clock } = requireRowOfServerTable<ServerRow>(states, serverRowId);
  return {
    version: 1,
    // The tables have the rows of every collection.
    store: Object.fromEntries(collectionNames.map((name) => [name, states[name]])) as unknown as StoreState,
    signingKeys,
    cursorKey,
    clock,
    jobs: (states["jobs"]?.rows ?? []).map(([, row]) => toJob(row as JobRow)),
    random: requireRowOfServerTable<GeneratorRow>(states, generatorRowId).ids,
  };
};

/** Returns a job as a snapshot has it, which has no attempts: a server that loads it also runs what was dead. */
export const toJob = ({ kind, subject, dueAt, change, diedAt }: JobRow): Job => ({
  kind,
  subject,
  dueAt: diedAt === undefined ? dueAt : 0,
  ...(change !== undefined && { change }),
});

/** Returns the rows of a collection, which have the type `T`. */
export const listTableRows = <T extends Row>(states: TableStates, name: CollectionName | "jobs"): T[] =>
  (states[name]?.rows ?? []).map(([, row]) => row as T);

/** Returns the rows of a collection, which have the type `T`, that the new tables do not have. */
export const findRemovedRows = <T extends Row>(
  previousTables: TableStates,
  newTables: TableStates,
  name: CollectionName,
): T[] => {
  const remainingIds = new Set(listTableRows(newTables, name).map(({ id }) => id));
  return listTableRows<T>(previousTables, name).filter(({ id }) => !remainingIds.has(id));
};

/** Returns the contents of the tables besides a snapshot. */
export const readTablesOutsideSnapshot = (states: TableStates): Required<TablesOutsideSnapshot> => {
  const { rateLimit, rateEpoch, hasFaults, nextFault } = requireRowOfServerTable<ServerRow>(
    states,
    serverRowId,
  );
  return {
    // `saveStateAsInitial` and the first start store snapshots.
    initialSnapshot: requireRowOfServerTable<InitialStateRow>(states, initialRowId).snapshot as Snapshot,
    draws: requireRowOfServerTable<GeneratorRow>(states, generatorRowId).draws,
    controlSettings: { ...(rateLimit !== undefined && { rateLimit }), rateEpoch, hasFaults, nextFault },
    faults: states["faults"] ?? createCollectionState([]),
  };
};
