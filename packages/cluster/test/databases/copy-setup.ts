import type { Client } from "pg";
import { beforeAll, onTestFinished } from "vitest";
import type { Cluster } from "../../../platform/test/cluster.js";
import { platformRole } from "../../../platform/test/installation.js";
import { DatabaseCopier } from "../../src/databases/database-copier.js";
import { makeAdmin } from "../sessions.js";

/** What a test sees of a database. */
export interface DatabaseState {
  open: boolean;
  /** Whether all roles may connect. */
  isPublic: boolean;
  owner: string;
}

/** The state of a database of the platform to which no one can connect. */
export const closedState: DatabaseState = { open: false, isPublic: false, owner: `"${platformRole}"` };

/** What tests of copies, and of roles in them, share. */
export interface CopySetup {
  /** A connection of the superuser to `postgres`. */
  readonly observer: Client;
  readonly makeCopies: () => DatabaseCopier;
  readonly readState: (name: string) => Promise<DatabaseState | undefined>;
  /** Drops a database after the test. Returns its name. */
  readonly dropLater: (name: string) => string;
}

/** Connects an observer to a cluster for the tests of a file. */
export const useCopySetup = (cluster: Cluster): CopySetup => {
  let observer: Client | undefined;
  const getObserver = (): Client => {
    if (!observer) throw new Error("There is no observer outside of a test");
    return observer;
  };
  beforeAll(async () => {
    observer = await cluster.connectAsAdmin("postgres");
  });
  const makeCopies = (): DatabaseCopier => new DatabaseCopier(makeAdmin(cluster));
  return {
    get observer() {
      return getObserver();
    },
    makeCopies,
    readState: async (name) => {
      const { rows } = await getObserver().query<DatabaseState>(
        `select datallowconn as open, has_database_privilege('public', oid, 'connect') as "isPublic",
          datdba::regrole::text as owner from pg_database where datname = $1`,
        [name],
      );
      return rows[0];
    },
    dropLater: (name) => {
      onTestFinished(() => makeCopies().drop(name));
      return name;
    },
  };
};
