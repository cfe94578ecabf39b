import type { OperationContext } from "../../context/operation-context.js";
import type { Transactions } from "../../context/transactions.js";
import { readOnlyTransaction } from "../../store/storage-adapter.js";
import { mapBatched } from "../../store/preload.js";
import type { DatabaseRow } from "../../store/rows.js";

/** Returns whether a deletion of the database was requested and has not been made yet. */
export const hasPendingDeletion = ({ changes = [] }: DatabaseRow): boolean =>
  changes.some(({ type }) => type === "deleteDatabase");

type CopyDestination = Pick<DatabaseRow, "id" | "workspaceId" | "source">;

/** Returns the database that another one is filled from, if a transaction of the other one's workspace can change it. */
const findSourceDatabase = (
  { store }: OperationContext,
  { id, workspaceId, source }: CopyDestination,
): DatabaseRow | undefined => {
  if (source.type === "empty" || source.databaseId === id) return undefined;
  const database = store.databases.get(source.databaseId);
  return database?.workspaceId === workspaceId ? database : undefined;
};

/** Records on its source that a database is going to be filled, so that the source is not deleted before. */
export const recordPendingCopy = (context: OperationContext, destination: CopyDestination): void => {
  const source = findSourceDatabase(context, destination);
  if (source === undefined) return;
  const otherCopyIds = source.copies?.filter((id) => id !== destination.id) ?? [];
  context.store.databases.update(source.id, { copies: [...otherCopyIds, destination.id] });
};

/** Removes the record of `recordPendingCopy`. */
export const clearPendingCopy = (context: OperationContext, destination: CopyDestination): void => {
  const source = findSourceDatabase(context, destination);
  if (!source?.copies?.includes(destination.id)) return;
  const otherCopyIds = source.copies.filter((id) => id !== destination.id);
  context.store.databases.update(source.id, { copies: otherCopyIds.length === 0 ? undefined : otherCopyIds });
};

/** Returns the databases that are still to be filled from this one or from one of its backups. */
export const findPendingCopies = async (
  transactions: Transactions,
  databaseId: string,
): Promise<DatabaseRow[]> =>
  transactions.transact(readOnlyTransaction, ({ store, settings: { lifecycle } }) => {
    const isPending = (row: DatabaseRow | undefined): row is DatabaseRow =>
      row !== undefined &&
      row.source.type !== "empty" &&
      row.source.databaseId === databaseId &&
      !hasPendingDeletion(row) &&
      // Later work, on a virtual clock, does not delay a deletion.
      ((row.status === "provisioning" && !row.made && lifecycle.provisioning === 0) ||
        (row.status === "recovering" && lifecycle.recovering === 0));
    const { copies = [] } = store.databases.get(databaseId) ?? {};
    return mapBatched(copies, (id) => store.databases.get(id)).filter(isPending);
  });
