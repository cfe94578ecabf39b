import type { Context, GlobalFlags } from "../../input/context.js";
import { usageError } from "../../errors/usage-errors.js";
import { databaseAccess } from "../../postgres/database-access.js";
import { queryTarget } from "../../postgres/query.js";
import { type CopyFlags, transfer } from "./transfer.js";

/** Copies a database of the service into another, without a file between them. */
export const runCopy = async (
  [from, to]: readonly [string, string],
  copyFlags: CopyFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const source = await databaseAccess(from, flags, context);
  const target = await databaseAccess(to, flags, context);
  if (source.databaseId === target.databaseId) {
    throw usageError(
      `${from} and ${to} are the same database`,
      "Pass the database to copy, and another one.",
    );
  }
  await transfer(queryTarget(source, context), target, copyFlags, flags, context);
};
