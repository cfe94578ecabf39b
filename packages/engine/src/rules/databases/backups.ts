import { defineHandler } from "../../context/operation-handler.js";
import { formatTimestamp } from "../../values/clock.js";
import { requireAccess } from "../../request/resource-access.js";
import type { Backup } from "../../generated/schemas.js";
import type { BackupRow } from "../../store/rows.js";

/** Builds a `Backup` from its row. Omits `size` while the backup runs. */
export const serializeBackup = (row: BackupRow): Backup => ({
  id: row.id,
  type: "backup",
  backupType: row.backupType,
  createdAt: formatTimestamp(row.createdAt),
  status: row.status,
  ...(row.size === null ? {} : { size: row.size }),
});

/** The handlers of the operations of backups. */
export const backupHandlers = {
  /** Lists the newest `limit` backups, or all of them. The list has no cursor. */
  "databases.backups.list": defineHandler("databases.backups.list", {
    check: (call) => requireAccess(call, "database", call.path.databaseId),
    execute: ({ context, query }, database) => {
      const where = { databaseId: database.id };
      const backups = context.store.backups.listPage({
        where,
        limit: query.limit ?? Infinity,
        newestFirst: true,
      });
      return {
        status: 200,
        body: {
          data: backups.map(serializeBackup),
          meta: { backupRetentionDays: context.settings.backups.retentionDays },
          pagination: {
            hasMore: backups.length < context.store.backups.count(where),
            limit: query.limit ?? null,
          },
        },
      };
    },
  }),
};
