import {
  type DatabaseEngine,
  DatabaseUnavailableError,
  LockLostError,
  OutcomeUnknownError,
} from "../../context/database-engine.js";
import type { OperationContext } from "../../context/operation-context.js";
import type { DatabaseChange, DatabaseRow } from "../../store/rows.js";
import { type JobHandlers, type JobContext, SupersededError } from "../../jobs/job-handler.js";
import { outageDelays } from "../../jobs/retry-delay.js";
import type { Job, RunningJob } from "../../context/scheduler.js";
import { announceLogin } from "../connections/connection-creation.js";
import { changeDatabase, createJobPreload, fillCopies, resumeLifecycleJobs } from "./database-lifecycle.js";
import { hasPendingDeletion } from "./pending-copies.js";
import { removeDatabase, removeProject } from "./database-removal.js";
import { LoadedRows } from "../../store/preload.js";
import { readOnlyTransaction } from "../../store/storage-adapter.js";

const changeJobKind = "database.change";
/** Gives a connection the login that the store has for it. Its `change` is the id of the connection. */
export const loginJobKind = "database.login";

type NewChange<T = DatabaseChange> = T extends DatabaseChange ? Omit<T, "id" | "workspaceId"> : never;

/**
 * Stores a change that the real database needs, and schedules the job that makes it. The job then updates the rows, or
 * discards the change when the database engine fails.
 */
export const requestChange = (context: OperationContext, database: DatabaseRow, change: NewChange): Job => {
  const { id: databaseId, workspaceId, changes = [] } = database;
  const newChange: DatabaseChange = { ...change, id: context.ids.generateLabel(24), workspaceId };
  context.store.databases.update(databaseId, { changes: [...changes, newChange] });
  if (newChange.type === "deleteDatabase" && newChange.projectId !== null) {
    context.store.projects.update(newChange.projectId, { deleting: true });
  }
  return context.scheduler.schedule(context.clock, {
    kind: changeJobKind,
    subject: databaseId,
    delayMs: 0,
    change: newChange.id,
  });
};

const findChange = (
  { store }: OperationContext,
  databaseId: string,
  changeId: string | undefined,
): { database: DatabaseRow; change: DatabaseChange } | undefined => {
  const database = store.databases.get(databaseId);
  const change = database?.changes?.find(({ id }) => id === changeId);
  return database && change && { database, change };
};

const removeChange = ({ store }: OperationContext, databaseId: string, changeId: string): void => {
  const { changes = [] } = store.databases.get(databaseId) ?? {};
  const otherChanges = changes.filter(({ id }) => id !== changeId);
  if (otherChanges.length < changes.length) {
    store.databases.update(databaseId, { changes: otherChanges.length === 0 ? undefined : otherChanges });
  }
};

/** Restores the rows to their state before the change was requested, unless they have been replaced by others. */
const discardChange = (context: OperationContext, databaseId: string, change: DatabaseChange): void => {
  if (!findChange(context, databaseId, change.id)) return;
  removeChange(context, databaseId, change.id);
  if (change.type !== "deleteDatabase") return;
  const database = context.store.databases.get(databaseId);
  // Another request may have repeated the deletion.
  if (database && hasPendingDeletion(database)) return;
  if (change.projectId !== null && context.store.projects.get(change.projectId)) {
    context.store.projects.update(change.projectId, { deleting: undefined });
  }
  resumeLifecycleJobs(context, databaseId);
};

/**
 * Returns whether a change no longer applies because its resource was deleted or belongs to another workspace now. The deletion of a
 * database always applies: an earlier run of its job may have deleted the data.
 */
const isSuperseded = ({ store }: OperationContext, database: DatabaseRow, change: DatabaseChange): boolean =>
  change.type !== "deleteDatabase" &&
  (database.workspaceId !== change.workspaceId ||
    ((change.type === "setPassword" || change.type === "deleteConnection") &&
      store.connections.get(change.connectionId) === undefined));

/** A change, with the data that the real database needs to make it. */
interface ApplicableChange {
  readonly database: DatabaseRow;
  readonly change: DatabaseChange;
  /** The role whose password the change sets. Empty for other changes. */
  readonly user: string;
}

/** Returns the change unless it no longer applies. */
const findApplicableChange = (
  context: OperationContext,
  databaseId: string,
  changeId: string | undefined,
): ApplicableChange | undefined => {
  const pendingChange = findChange(context, databaseId, changeId);
  if (!pendingChange || isSuperseded(context, pendingChange.database, pendingChange.change)) return undefined;
  const { change } = pendingChange;
  const connection =
    change.type === "setPassword" ? context.store.connections.get(change.connectionId) : undefined;
  return { ...pendingChange, user: connection?.user ?? "" };
};

/**
 * Changes the real database. Skips one that does not exist yet, because it gets its roles from the store when it is
 * created.
 */
const applyChange = async (
  engine: DatabaseEngine,
  { database: { id: databaseId, made }, change, user }: ApplicableChange,
): Promise<void> => {
  if (change.type === "deleteDatabase") return engine.drop(databaseId);
  if (!made) return;
  switch (change.type) {
    case "createConnection": {
      const { id: connectionId, user: role, pass } = change.connection;
      return engine.grant(databaseId, { connectionId, user: role, pass });
    }
    case "setPassword":
      return engine.grant(databaseId, { connectionId: change.connectionId, user, pass: change.pass });
    case "deleteConnection":
      return engine.revoke(databaseId, change.connectionId);
  }
};

/** Returns the changes of the same password that were requested before this one and are not made yet. */
const findEarlierPasswordChanges = (
  { changes = [] }: DatabaseRow,
  { id, connectionId }: Extract<DatabaseChange, { type: "setPassword" }>,
): DatabaseChange[] => {
  const index = changes.findIndex((candidate) => candidate.id === id);
  return changes.filter(
    (candidate, position) =>
      position < index && candidate.type === "setPassword" && candidate.connectionId === connectionId,
  );
};

/** @throws SupersededError when the rows have been replaced by others since the change was read. */
const recordChange = (context: OperationContext, databaseId: string, { id }: DatabaseChange): void => {
  const { databases, connections } = context.store;
  const pendingChange = findChange(context, databaseId, id);
  if (!pendingChange) throw new SupersededError();
  const { database, change } = pendingChange;
  removeChange(context, databaseId, id);
  switch (change.type) {
    case "createConnection":
      connections.insert({ ...change.connection, workspaceId: database.workspaceId });
      if (!database.made && database.status !== "failure") announceLogin(context, change.connection);
      if (database.defaultConnectionId === null) {
        databases.update(databaseId, { defaultConnectionId: change.connection.id });
      }
      return;
    case "setPassword":
      // An earlier rotation that was not answered must not undo this one when it is completed later.
      for (const earlierChange of findEarlierPasswordChanges(database, change))
        removeChange(context, databaseId, earlierChange.id);
      connections.update(change.connectionId, { pass: change.pass });
      return;
    case "deleteConnection":
      connections.delete(change.connectionId);
      if (database.defaultConnectionId === change.connectionId) {
        const oldest = connections.find({ databaseId });
        databases.update(databaseId, { defaultConnectionId: oldest?.id ?? null });
      }
      return;
    case "deleteDatabase":
      removeDatabase(context, databaseId);
      if (change.projectId !== null) removeProject(context, change.projectId);
  }
};

/**
 * Handles a change that could not reach the database server and may have been made nevertheless. A deletion may have
 * destroyed data, so it is completed later. Any other change is discarded, and the login is then set as the store has it.
 */
const postponeChange = (
  context: OperationContext,
  databaseId: string,
  change: DatabaseChange,
  { job, random }: { readonly job: RunningJob; readonly random: number },
): void => {
  const { scheduler, clock } = context;
  if (change.type === "deleteDatabase") {
    // A job whose process cannot reach Postgres is repeated itself, and would schedule another one each time.
    scheduler.cancel(clock, { kind: changeJobKind, subject: databaseId, change: change.id });
    scheduler.repeat(clock, job, random);
    return;
  }
  discardChange(context, databaseId, change);
  scheduleLoginReset(context, databaseId, change);
};

/** Schedules a job that gives the connection of a change the login that the store has for it. */
const scheduleLoginReset = (
  { scheduler, clock }: OperationContext,
  databaseId: string,
  change: Exclude<DatabaseChange, { type: "deleteDatabase" }>,
): void => {
  const connectionId = change.type === "createConnection" ? change.connection.id : change.connectionId;
  scheduler.schedule(clock, {
    kind: loginJobKind,
    subject: databaseId,
    delayMs: outageDelays.firstMs,
    change: connectionId,
  });
};

/** Gives a connection the login that the store has for it, or none if the store has no such connection. */
const restoreLogin = async (context: JobContext, databaseId: string, connectionId: string): Promise<void> => {
  const loginState = await context.transact(readOnlyTransaction, ({ store }) => ({
    isMade: store.databases.get(databaseId)?.made ?? false,
    connection: store.connections.get(connectionId),
  }));
  if (!loginState.isMade) return;
  if (!loginState.connection) return context.databaseEngine.revoke(databaseId, connectionId);
  const { user, pass } = loginState.connection;
  if (pass === null) return;
  await context.databaseEngine.grant(databaseId, { connectionId, user, pass });
};

/** Throws an `OutcomeUnknownError` when the rows cannot be reached: they still contain the change, which is made later. */
const wrapDiscardFailure = async <T>(callback: () => Promise<T>): Promise<T> => {
  try {
    return await callback();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    throw new OutcomeUnknownError("The change could not be discarded", { cause: error });
  }
};

/** Makes changes. Safe to repeat, because a change is removed from the row when it is made. */
export const changeJobs: JobHandlers = {
  [changeJobKind]: async (context, databaseId, job) => {
    const { change: changeId } = job;
    const requestedChange = await wrapDiscardFailure(async () =>
      context.transact(
        readOnlyTransaction,
        (changeContext) => findChange(changeContext, databaseId, changeId)?.change,
      ),
    );
    if (!requestedChange) throw new SupersededError();
    try {
      if (requestedChange.type === "deleteDatabase") {
        context.databaseWork.cancelFill(databaseId);
        await fillCopies(context, databaseId);
      }
      await context.databaseWork.withLock([databaseId], async (lock) => {
        const loadedRows = new LoadedRows();
        const applicableChange = await context.transact(
          readOnlyTransaction,
          (changeContext) => findApplicableChange(changeContext, databaseId, changeId),
          () => [{ read: "row", table: "databases", id: databaseId }, createJobPreload(job)],
          loadedRows,
        );
        if (!applicableChange) throw new SupersededError();
        await applyChange(context.databaseEngine, applicableChange);
        await lock.confirm();
        // A request or another job is about to change the row, so a commit with these rows would probably fail.
        const hasOtherChanges = (applicableChange.database.changes?.length ?? 0) > 1;
        await changeDatabase(
          context,
          databaseId,
          (changeContext) => recordChange(changeContext, databaseId, applicableChange.change),
          {
            ...{ lastReadRow: applicableChange.database, job },
            loadedRows: hasOtherChanges ? undefined : loadedRows,
          },
        );
      });
    } catch (error) {
      // Another process may be making the change. If not, this job makes it later.
      if (error instanceof LockLostError) {
        // The other process may have set a newer password, which this work has replaced.
        await wrapDiscardFailure(() =>
          changeDatabase(context, databaseId, (changeContext, database) => {
            if (database && requestedChange.type !== "deleteDatabase")
              scheduleLoginReset(changeContext, databaseId, requestedChange);
          }),
        );
        throw error;
      }
      const isUnavailable = error instanceof DatabaseUnavailableError;
      const repetition = { job, random: Math.random() };
      await wrapDiscardFailure(() =>
        changeDatabase(context, databaseId, (changeContext) =>
          isUnavailable
            ? postponeChange(changeContext, databaseId, requestedChange, repetition)
            : discardChange(changeContext, databaseId, requestedChange),
        ),
      );
      if (isUnavailable && requestedChange.type === "deleteDatabase") {
        throw new OutcomeUnknownError("The database is deleted later", { cause: error });
      }
      throw error;
    }
  },

  [loginJobKind]: async (context, databaseId, job) => {
    try {
      await context.databaseWork.withLock([databaseId], async (lock) => {
        await restoreLogin(context, databaseId, job.change ?? "");
        await lock.confirm();
      });
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      const random = Math.random();
      await changeDatabase(context, databaseId, ({ scheduler, clock }) =>
        scheduler.repeat(clock, job, random),
      );
    }
  },
};
