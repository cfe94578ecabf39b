import { ClusterError } from "@mgmt/cluster/policy/cluster-error";
import { AdminConnection } from "@mgmt/cluster/connection/admin-connection";
import type { DatabaseAddress } from "@mgmt/cluster/policy/address";
import { createSharedCluster, inspectSharedCluster } from "@mgmt/cluster/policy/shared-cluster";
import { Installation } from "@mgmt/cluster/policy/installation";
import { ServeError, type ServiceErrorCode, serveErrors } from "../errors/serve-error.js";
import type { ServeSettings } from "./config-schema.js";
import { readKeyFile } from "./key-file.js";
import { openServiceRecords } from "./open-service.js";
import { parsePostgresUrl } from "./postgres-url.js";
import { formatAddress, isMissingRecordsError, probeServer } from "./probe.js";

/** The result of one check. */
export interface ServiceCheck {
  readonly name: "keyFile" | "records" | "schema" | "cluster" | "privileges" | "connections" | "advice";
  /** A service with a failed check does not start. One with a warning does. */
  readonly status: "ok" | "warning" | "failed";
  readonly message: string;
  readonly hint?: string;
  /** For an administrator of Postgres to run. */
  readonly statement?: string;
}

/** A database that every Postgres server has. */
const maintenanceDatabase = "postgres";

/** Fewer connections for the databases of users are a failure. */
const minTenantConnections = 2;

/** Checks everything that a server needs, and changes nothing. */
export const checkService = async (settings: ServeSettings): Promise<ServiceCheck[]> => {
  const keyFile = await runCheck("keyFile", async () => {
    const keys = await readKeyFile(settings.keyFile);
    const [currentId = "", ...otherIds] = keys.ids;
    const others = otherIds.length === 0 ? "has no other key" : `also has ${otherIds.join(", ")}`;
    return `${settings.keyFile} encrypts with the key ${currentId}, and ${others}`;
  });
  const records = await runCheck("records", async () => {
    const address = await parsePostgresUrl("databaseUrl", settings.databaseUrl);
    const { major } = await probeServer(address).catch((error: unknown) => {
      throw isMissingRecordsError(error) ? serveErrors.notInitialized(address.database) : error;
    });
    return describeServer(address, major);
  });
  let installation: Installation | undefined;
  const schema =
    records.status === "ok" && keyFile.status === "ok"
      ? [
          await runCheck("schema", async () => {
            const { records } = await openServiceRecords(settings);
            ({ installation } = records);
            await records.close();
            return `The records belong to the installation ${records.installation.keys.id}`;
          }),
        ]
      : [];
  return [keyFile, records, ...schema, ...(await checkCluster(settings, installation))];
};

const checkCluster = async (
  settings: ServeSettings,
  installation: Installation | undefined,
): Promise<ServiceCheck[]> => {
  const isSameServer = settings.clusterUrl === undefined;
  const setting = isSameServer ? "databaseUrl" : "clusterUrl";
  const url = settings.clusterUrl ?? settings.databaseUrl;
  let server: { address: DatabaseAddress; major: number } | undefined;
  const cluster = await runCheck("cluster", async () => {
    let address = await parsePostgresUrl(setting, url);
    const { major } = await probeServer(address).catch((error: unknown) => {
      if (!(isSameServer && isMissingRecordsError(error))) throw error;
      // Commands of the service create it on the same server.
      address = { ...address, database: maintenanceDatabase };
      return probeServer(address);
    });
    server = { address, major };
    return describeServer(address, major);
  });
  // The check of the records reports the same.
  const reached = isSameServer ? [] : [cluster];
  return server === undefined ? reached : [...reached, ...(await inspect(server, installation))];
};

const inspect = async (
  { address, major }: { address: DatabaseAddress; major: number },
  installation: Installation | undefined,
): Promise<ServiceCheck[]> => {
  const unused = new Installation({ id: "", secret: "" });
  const admin = new AdminConnection(createSharedCluster(address, major, installation ?? unused));
  try {
    const { missing, advice, limits } = await inspectSharedCluster(admin, installation, major);
    const connections = String(limits.connections);
    return [
      ...(missing.length === 0
        ? [
            {
              name: "privileges",
              status: "ok",
              message: `The role ${address.user} has all privileges`,
            } as const,
          ]
        : missing.map(
            ({ problem, statement }) =>
              ({
                name: "privileges",
                status: "failed",
                message: `The role ${address.user} does not have the privilege ${problem}`,
                statement,
              }) as const,
          )),
      limits.connections > minTenantConnections
        ? { name: "connections", status: "ok", message: `Database users can have ${connections} connections` }
        : {
            name: "connections",
            status: "failed",
            message: `Only ${connections} connections are left for database users`,
            hint: "Raise max_connections of Postgres, and restart it.",
          },
      ...advice.map(
        ({ problem, statement }) =>
          ({
            name: "advice",
            status: "warning",
            message: problem,
            ...(statement !== undefined && { statement }),
          }) as const,
      ),
    ];
  } finally {
    await admin.close();
  }
};

const describeServer = (address: DatabaseAddress, major: number): string =>
  `Postgres ${String(major)} answers at ${formatAddress(address)}`;

/**
 * Runs one check.
 *
 * @param callback returns the result of the check.
 * @returns a failed check if the callback throws a `ServeError` or a `ClusterError`.
 */
const runCheck = async (
  name: ServiceCheck["name"],
  callback: () => Promise<string>,
): Promise<ServiceCheck> => {
  try {
    return { name, status: "ok", message: await callback() };
  } catch (error) {
    if (!(error instanceof ServeError || error instanceof ClusterError)) throw error;
    const { message, hint } = toServiceFailure(error);
    return { name, status: "failed", message, hint };
  }
};

/** Does not compile if `ServiceErrorCode` lacks a code. */
const toServiceFailure = (
  failure: ServeError | ClusterError,
): { readonly code: ServiceErrorCode; readonly message: string; readonly hint: string } => failure;
