import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../../machine/data-dir/atomic-file.js";
import { readOwnedFile } from "../../machine/data-dir/safe-file.js";

/** How runners connect to a running server. */
export interface ServerState {
  readonly port: number;
  /** Password of the superuser, which is new on each start. */
  readonly password: string;
  /** Process id of the daemon. */
  readonly pid: number;
}

const getStatePath = (directory: string): string => join(directory, "server.json");

/** Returns undefined when no server runs, or the file cannot be used. */
export const readServerState = async (directory: string): Promise<ServerState | undefined> => {
  try {
    const state: unknown = JSON.parse(await readOwnedFile(getStatePath(directory)));
    return isServerState(state) ? state : undefined;
  } catch {
    return undefined;
  }
};

const isServerState = (value: unknown): value is ServerState =>
  typeof value === "object" &&
  value !== null &&
  "port" in value &&
  typeof value.port === "number" &&
  "password" in value &&
  typeof value.password === "string" &&
  "pid" in value &&
  typeof value.pid === "number";

/** Lets runners find the server. Only this user can read the file. */
export const writeServerState = (directory: string, state: ServerState): Promise<void> =>
  writeAtomically(getStatePath(directory), JSON.stringify(state), { isDurable: false });

/** Keeps runners from connecting to a server that ends. */
export const removeServerState = (directory: string): Promise<void> =>
  rm(getStatePath(directory), { force: true });
