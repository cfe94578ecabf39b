import type { Context, GlobalFlags } from "../../input/context.js";
import { usageError } from "../../errors/usage-errors.js";
import { resolveDatabaseAccess } from "../../postgres/database-access.js";
import { toPostgresDatabase } from "../../postgres/query.js";
import { type CopyFlags, copyDatabase } from "./copy-database.js";

/** Copies a database of the service into another, without a file between them. */
export const runCopy = async (
  [from, to]: readonly [string, string],
  copyFlags: CopyFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const source = await resolveDatabaseAccess(from, flags, context);
  const target = await resolveDatabaseAccess(to, flags, context);
  if (source.databaseId === target.databaseId) {
    throw usageError(
      `${from} and ${to} are the same database`,
      "Pass the database to copy, and another one.",
    );
  }
  await copyDatabase(toPostgresDatabase(source, context), target, copyFlags, flags, context);
};
