import {
  type DatabaseEngine,
  DatabaseUnavailableError,
  LockLostError,
  OutcomeUnknownError,
} from "../../context/database-engine.js";
import type { RuleContext } from "../../context/rule-context.js";
import type { DatabaseChange, DatabaseRow } from "../../store/rows.js";
import { type JobHandlers, type JobContext, SupersededError } from "../../jobs/job-handler.js";
import type { Job } from "../../context/scheduler.js";
import { announceLogin } from "../connections/connection-creation.js";
import { changeDatabase, fillCopies, resumeLifecycle, unavailableDelay } from "./database-lifecycle.js";
import { isBeingDeleted } from "./copies.js";
import { removeDatabase, removeProject } from "./database-removal.js";
import { readOnly } from "../../store/storage-adapter.js";

const changeJob = "database.change";
/** Gives a connection the login that the store has for it. Its `change` is the id of the connection. */
export const loginJob = "database.login";

type NewChange<T = DatabaseChange> = T extends DatabaseChange ? Omit<T, "id" | "workspaceId"> : never;

/**
 * Stores a change that the real database needs, and schedules the job that makes it. The job then updates the rows, or
 * discards the change when the database engine fails.
 */
export const requestChange = (context: RuleContext, database: DatabaseRow, change: NewChange): Job => {
  const { id: databaseId, workspaceId, changes = [] } = database;
  const requested: DatabaseChange = { ...change, id: context.ids.label(24), workspaceId };
  context.store.databases.update(databaseId, { changes: [...changes, requested] });
  if (requested.type === "deleteDatabase" && requested.projectId !== null) {
    context.store.projects.update(requested.projectId, { deleting: true });
  }
  return context.scheduler.schedule(context.clock, changeJob, databaseId, 0, requested.id);
};

const findChange = (
  { store }: RuleContext,
  databaseId: string,
  changeId: string | undefined,
): { database: DatabaseRow; change: DatabaseChange } | undefined => {
  const database = store.databases.get(databaseId);
  const change = database?.changes?.find(({ id }) => id === changeId);
  return database && change && { database, change };
};

const endChange = ({ store }: RuleContext, databaseId: string, changeId: string): void => {
  const { changes = [] } = store.databases.get(databaseId) ?? {};
  const rest = changes.filter(({ id }) => id !== changeId);
  if (rest.length < changes.length) {
    store.databases.update(databaseId, { changes: rest.length === 0 ? undefined : rest });
  }
};

/** Restores the rows to their state before the change was requested, unless they have been replaced by others. */
const discardChange = (context: RuleContext, databaseId: string, change: DatabaseChange): void => {
  if (!findChange(context, databaseId, change.id)) return;
  endChange(context, databaseId, change.id);
  if (change.type !== "deleteDatabase") return;
  const database = context.store.databases.get(databaseId);
  // Another request may have repeated the deletion.
  if (database && isBeingDeleted(database)) return;
  if (change.projectId !== null && context.store.projects.get(change.projectId)) {
    context.store.projects.update(change.projectId, { deleting: undefined });
  }
  resumeLifecycle(context, databaseId);
};

/**
 * Returns whether a change no longer applies because its resource was deleted or belongs to another workspace now. The deletion of a
 * database always applies: an earlier run of its job may have deleted the data.
 */
const isSuperseded = ({ store }: RuleContext, database: DatabaseRow, change: DatabaseChange): boolean =>
  change.type !== "deleteDatabase" &&
  (database.workspaceId !== change.workspaceId ||
    ((change.type === "setPassword" || change.type === "deleteConnection") &&
      store.connections.get(change.connectionId) === undefined));

/** A change, with the data that the real database needs to make it. */
interface Applicable {
  readonly database: DatabaseRow;
  readonly change: DatabaseChange;
  /** The role whose password the change sets. Empty for other changes. */
  readonly user: string;
}

/** Returns the change unless it no longer applies. */
const findApplicable = (
  context: RuleContext,
  databaseId: string,
  changeId: string | undefined,
): Applicable | undefined => {
  const target = findChange(context, databaseId, changeId);
  if (!target || isSuperseded(context, target.database, target.change)) return undefined;
  const { change } = target;
  const connection =
    change.type === "setPassword" ? context.store.connections.get(change.connectionId) : undefined;
  return { ...target, user: connection?.user ?? "" };
};

/**
 * Changes the real database. Skips one that does not exist yet, because it gets its roles from the store when it is
 * created.
 */
const apply = async (
  engine: DatabaseEngine,
  { database: { id: databaseId, made }, change, user }: Applicable,
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
const earlierPasswords = (
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
const record = (context: RuleContext, databaseId: string, { id }: DatabaseChange): void => {
  const { databases, connections } = context.store;
  const target = findChange(context, databaseId, id);
  if (!target) throw new SupersededError();
  const { database, change } = target;
  endChange(context, databaseId, id);
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
      for (const earlier of earlierPasswords(database, change)) endChange(context, databaseId, earlier.id);
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
const postpone = (context: RuleContext, databaseId: string, change: DatabaseChange): void => {
  const { scheduler, clock } = context;
  if (change.type === "deleteDatabase") {
    // A job whose process cannot reach Postgres is repeated itself, and would schedule another one each time.
    scheduler.cancel(clock, databaseId, changeJob, change.id);
    scheduler.schedule(clock, changeJob, databaseId, unavailableDelay, change.id);
    return;
  }
  discardChange(context, databaseId, change);
  resetLogin(context, databaseId, change);
};

/** Schedules a job that gives the connection of a change the login that the store has for it. */
const resetLogin = (
  { scheduler, clock }: RuleContext,
  databaseId: string,
  change: Exclude<DatabaseChange, { type: "deleteDatabase" }>,
): void => {
  const connectionId = change.type === "createConnection" ? change.connection.id : change.connectionId;
  scheduler.schedule(clock, loginJob, databaseId, unavailableDelay, connectionId);
};

/** Gives a connection the login that the store has for it, or none if the store has no such connection. */
const setLogin = async (context: JobContext, databaseId: string, connectionId: string): Promise<void> => {
  const state = await context.transact(readOnly, ({ store }) => ({
    isMade: store.databases.get(databaseId)?.made ?? false,
    connection: store.connections.get(connectionId),
  }));
  if (!state.isMade) return;
  if (!state.connection) return context.databaseEngine.revoke(databaseId, connectionId);
  const { user, pass } = state.connection;
  await context.databaseEngine.grant(databaseId, { connectionId, user, pass });
};

/** Throws an `OutcomeUnknownError` when the rows cannot be reached: they still contain the change, which is made later. */
const whileStored = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    throw new OutcomeUnknownError("The change could not be discarded", { cause: error });
  }
};

/** Makes changes. Safe to repeat, because a change is removed from the row when it is made. */
export const changeJobs: JobHandlers = {
  [changeJob]: async (context, databaseId, changeId) => {
    const requested = await whileStored(async () =>
      context.transact(readOnly, (current) => findChange(current, databaseId, changeId)?.change),
    );
    if (!requested) throw new SupersededError();
    try {
      if (requested.type === "deleteDatabase") {
        context.databaseWork.cancelFilling(databaseId);
        await fillCopies(context, databaseId);
      }
      await context.databaseWork.withLock([databaseId], async (lock) => {
        const applicable = await context.transact(readOnly, (current) =>
          findApplicable(current, databaseId, changeId),
        );
        if (!applicable) throw new SupersededError();
        await apply(context.databaseEngine, applicable);
        await lock.confirm();
        await changeDatabase(context, databaseId, (current) =>
          record(current, databaseId, applicable.change),
        );
      });
    } catch (error) {
      // Another process may be making the change. If not, this job makes it later.
      if (error instanceof LockLostError) {
        // The other process may have set a newer password, which this work has replaced.
        await whileStored(() =>
          changeDatabase(context, databaseId, (current, database) => {
            if (database && requested.type !== "deleteDatabase") resetLogin(current, databaseId, requested);
          }),
        );
        throw error;
      }
      const isUnavailable = error instanceof DatabaseUnavailableError;
      await whileStored(() =>
        changeDatabase(context, databaseId, (current) =>
          (isUnavailable ? postpone : discardChange)(current, databaseId, requested),
        ),
      );
      if (isUnavailable && requested.type === "deleteDatabase") {
        throw new OutcomeUnknownError("The database is deleted later", { cause: error });
      }
      throw error;
    }
  },

  [loginJob]: async (context, databaseId, connectionId = "") => {
    try {
      await context.databaseWork.withLock([databaseId], async (lock) => {
        await setLogin(context, databaseId, connectionId);
        await lock.confirm();
      });
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      await changeDatabase(context, databaseId, ({ scheduler, clock }) =>
        scheduler.schedule(clock, loginJob, databaseId, unavailableDelay, connectionId),
      );
    }
  },
};
