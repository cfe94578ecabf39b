import type { Context, GlobalFlags } from "../../input/context.js";
import { resolveDatabaseAccess } from "../../postgres/database-access.js";
import { type ForeignSourceFlags, resolveForeignSource } from "./external-source.js";
import { type CopyFlags, copyDatabase } from "./copy-database.js";

/** Copies the database of any Postgres server into one of the service. */
export const runImport = async (
  databaseIdOrName: string | undefined,
  { sourceFile, sourceEnv, ...copyFlags }: CopyFlags & ForeignSourceFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const source = await resolveForeignSource({ sourceFile, sourceEnv }, context);
  const target = await resolveDatabaseAccess(databaseIdOrName, flags, context);
  await copyDatabase(source, target, copyFlags, flags, context);
};
