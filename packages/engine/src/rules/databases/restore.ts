import { errors } from "../../values/errors.js";
import { defineHandler } from "../../context/operation-handler.js";
import { requireAccess } from "../../request/resource-access.js";
import { recordPendingCopy } from "./pending-copies.js";
import { scheduleRecovery } from "./database-lifecycle.js";
import { assertUsableBackup } from "./database-sources.js";
import { serializeDatabase, listDatabaseReferencePreloads } from "./serialize-database.js";

/** The handler of the operation that restores a database. */
export const restoreHandlers = {
  /**
   * Overwrites the data in place. Connections and their credentials do not change. See the `databases.restore`
   * operation.
   */
  "databases.restore": defineHandler("databases.restore", {
    preloads: ({ path }) => listDatabaseReferencePreloads(path.targetDatabaseId),
    check: (call) => {
      const { source } = call.body;
      const targetDatabase = requireAccess(call, "database", call.path.targetDatabaseId);
      assertUsableBackup(call, source, "/source");
      if (targetDatabase.status === "provisioning" || targetDatabase.status === "recovering") {
        throw errors["database:busy"](targetDatabase);
      }
      return { target: targetDatabase, source };
    },
    execute: ({ context }, { target, source }) => {
      const { databaseId, backupId } = source;
      const recoveringDatabase = context.store.databases.update(target.id, {
        status: "recovering",
        source: { type: "backup", databaseId, backupId },
      });
      recordPendingCopy(context, recoveringDatabase);
      scheduleRecovery(context, target.id);
      return { status: 200, body: { data: serializeDatabase(context, recoveringDatabase) } };
    },
  }),
};
