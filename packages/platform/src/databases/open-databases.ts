import { scramVerifier } from "../postgres/scram.js";
import { superuser } from "../postgres/cluster.js";
import { Admin, type AdminAddress, identifier, literal } from "./admin.js";
import { Copies } from "./copies.js";
import { Logins } from "./logins.js";
import { sparePrefix } from "./names.js";
import { PostgresDatabases } from "./postgres-databases.js";
import { type Losses, type RecordedDatabase, reconcile } from "./reconcile.js";
import { Spares } from "./spares.js";

export interface OpenDatabases {
  engine: PostgresDatabases;
  /** What the records have and Postgres has not. */
  losses: Losses;
  /** Ends the platform's own sessions. */
  close(): Promise<void>;
}

/** Enough for a burst of requests; each takes 8 MB. */
const spareDepth = 3;

/**
 * Makes a new cluster the platform's own: a password that no other cluster has, no database that everybody may connect
 * to, and `template1`, of no use here, as the first spare database.
 */
export const claimCluster = async (
  address: AdminAddress,
  major: number,
  newPassword: string,
): Promise<void> => {
  const admin = new Admin(address, major);
  const spare = identifier(`${sparePrefix}first`);
  try {
    const verifier = literal(await scramVerifier(newPassword));
    await admin.whileUnused("template1", () =>
      admin.script([
        "comment on database template1 is null",
        "alter database template1 is_template false",
        `alter database template1 rename to ${spare}`,
        `alter database ${spare} allow_connections false`,
        `revoke all on database ${spare}, postgres, template0 from public`,
        `alter role ${identifier(superuser)} password ${verifier}`,
      ]),
    );
  } finally {
    await admin.close();
  }
};

/** Brings the databases of a claimed cluster to what the records say, and opens them to the API. */
export const openDatabases = async (
  address: AdminAddress,
  major: number,
  recorded: readonly RecordedDatabase[],
): Promise<OpenDatabases> => {
  const admin = new Admin(address, major);
  const copies = new Copies(admin, major);
  const logins = new Logins(admin, copies);
  try {
    const { losses, spares: ready } = await reconcile({ admin, copies, logins }, recorded);
    const spares = new Spares(copies, spareDepth, ready);
    return {
      engine: new PostgresDatabases({ admin, copies, logins, spares, port: address.port }),
      losses,
      close: async () => {
        await spares.close();
        await admin.close();
      },
    };
  } catch (error) {
    await admin.close();
    throw error;
  }
};
