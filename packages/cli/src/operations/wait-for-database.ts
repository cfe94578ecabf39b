import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../context.js";
import { isObject, valueAt } from "../json-path.js";

/**
 * Waits with the SDK's waiter until the database in a response is ready, and updates its status in the response.
 *
 * @param path Where the database is in the response, dotted. Empty if the response is the database.
 * @returns What went wrong. It is not thrown, because the response must be printed in any case.
 */
export const waitForDatabase = async (
  response: object,
  path: string,
  timeoutMs: number,
  client: MgmtClient,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<{ error: unknown } | undefined> => {
  const database = valueAt(response, path === "" ? [] : path.split("."));
  if (!isObject(database) || typeof database["id"] !== "string") {
    output.info("No database was created, so there is nothing to wait for.");
    return undefined;
  }
  const { id } = database;
  if (database["status"] === "ready") return undefined;
  output.info(`Database ${id} is ${String(database["status"])}. Waiting until it is ready.`);
  try {
    await client.databases.waitUntilReady(id, {
      timeoutMs,
      signal,
      onProgress: ({ status }) => {
        if (status !== database["status"]) output.info(`Database ${id} is ${status}.`);
        database["status"] = status;
      },
    });
    return undefined;
  } catch (error) {
    return { error };
  }
};
