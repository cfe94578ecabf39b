import type { Context, GlobalFlags } from "../../input/context.js";
import { databaseAccess } from "../../postgres/database-access.js";
import { type ForeignSource, foreignSource } from "./foreign-source.js";
import { type CopyFlags, transfer } from "./transfer.js";

/** Copies the database of any Postgres server into one of the service. */
export const runImport = async (
  database: string | undefined,
  { sourceFile, sourceEnv, ...copyFlags }: CopyFlags & ForeignSource,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const source = await foreignSource({ sourceFile, sourceEnv }, context);
  const target = await databaseAccess(database, flags, context);
  await transfer(source, target, copyFlags, flags, context);
};
