import { databaseErrors } from "./database-errors.js";
import { handler } from "../../context/operation-handler.js";
import { requireAccess } from "../../request/resource-access.js";
import { beginCopy } from "./copies.js";
import { beginRecovering } from "./database-lifecycle.js";
import { refuseUnusableBackup } from "./database-sources.js";
import { presentDatabase, preloadsOfPresented } from "./present-database.js";

export const restoreHandlers = {
  /**
   * Overwrites the data in place. Connections and their credentials do not change. See the `databases.restore`
   * operation.
   */
  "databases.restore": handler("databases.restore", {
    preloads: ({ path }) => preloadsOfPresented(path.targetDatabaseId),
    check: (call) => {
      const { source } = call.body;
      const target = requireAccess(call, "database", call.path.targetDatabaseId);
      refuseUnusableBackup(call, source, "/source");
      if (target.status === "provisioning" || target.status === "recovering") {
        throw databaseErrors.busy(target.status);
      }
      return { target, source };
    },
    act: ({ context }, { target, source }) => {
      const { databaseId, backupId } = source;
      const recovering = context.store.databases.update(target.id, {
        status: "recovering",
        source: { type: "backup", databaseId, backupId },
      });
      beginCopy(context, recovering);
      beginRecovering(context, target.id);
      return { status: 200, body: { data: presentDatabase(context, recovering) } };
    },
  }),
};
