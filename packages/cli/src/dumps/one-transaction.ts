import type { Context } from "../input/context.js";
import type { DatabaseAccess } from "../postgres/database-access.js";

/** Runs something that changes a database in one transaction. After a signal, reports the state of the database. */
export const runInOneTransaction = async <T>(
  { databaseId }: DatabaseAccess,
  { output, signal }: Pick<Context, "output" | "signal">,
  changeDatabase: () => Promise<T>,
): Promise<T> => {
  try {
    return await changeDatabase();
  } catch (error) {
    if (signal.aborted) {
      const message = `Database ${databaseId} is unchanged unless the work was just complete: it is one transaction.`;
      output.notice({ code: "db:rolled_back", message, databaseId });
    }
    throw error;
  }
};
