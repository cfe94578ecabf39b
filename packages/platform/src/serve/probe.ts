import { Client, DatabaseError } from "pg";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { isMissingDatabaseError } from "@mgmt/cluster/connection/admin-connection";
import { type DatabaseAddress, toClientConfig } from "@mgmt/cluster/policy/address";
import { ServeError, serveErrors } from "../errors/serve-error.js";

/** How far the clocks of this machine and of Postgres may be apart, in seconds. */
export const maxClockDifference = 30;

const oldestMajor = 14;
const connectTimeoutMs = 5_000;

/** The properties of a Postgres server that the service reads before it opens anything there. */
export interface ServerInfo {
  readonly major: number;
  /** The difference between the clock of Postgres and the local clock, in milliseconds. */
  readonly clockOffset: number;
}

interface FactRow {
  version: number;
  versionText: string;
  isStandby: boolean;
  pid: number;
  now: number;
}

/**
 * Asks a Postgres server whether the service can use it.
 *
 * @throws ServeError `serve:database_unreachable`, `serve:database_refused`, `serve:pooler`, `serve:standby`, `serve:unsupported_version`,
 *   or `serve:clock_differs`.
 */
export const probeServer = async (address: DatabaseAddress): Promise<ServerInfo> => {
  const name = formatAddress(address);
  const client = new Client({
    ...toClientConfig(address, "mgmt serve"),
    database: address.database,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    // The first statement of a session takes longer.
    await client.query("select");
    const startedAt = Date.now();
    const { rows } = await client.query<FactRow>(
      `select current_setting('server_version_num')::integer as version, current_setting('server_version') as "versionText",
        pg_is_in_recovery() as "isStandby", pg_backend_pid() as pid,
        (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    );
    const localTime = (startedAt + Date.now()) / 2;
    const [row] = rows;
    if (row === undefined) throw new Error("Postgres did not return its version");
    const major = Math.floor(row.version / 10_000);
    // A pooler sends its clients process ids of its own.
    if (getProcessId(client) !== row.pid) throw serveErrors.pooler(name);
    if (row.isStandby) throw serveErrors.standby(name);
    if (major < oldestMajor) throw serveErrors.unsupportedVersion(name, row.versionText);
    const clockOffset = row.now - localTime;
    if (Math.abs(clockOffset) > maxClockDifference * 1_000)
      throw serveErrors.clockDiffers(Math.round(-clockOffset / 1_000), maxClockDifference);
    return { major, clockOffset };
  } catch (error) {
    throw toProbeError(name, error);
  } finally {
    void client.end().catch(() => undefined);
  }
};

/** Returns whether a probe failed only because the database does not exist. */
export const isMissingRecordsError = (error: unknown): boolean =>
  error instanceof ServeError && isMissingDatabaseError(error.cause);

/** Returns where a server is, without its user and password. */
export const formatAddress = ({ host, port, database }: DatabaseAddress): string =>
  `${host}:${String(port)}/${database}`;

/** Returns the process id of the session of a client. The driver has it for cancel requests, but its types do not declare it. */
const getProcessId = (client: Client): unknown => Reflect.get(client, "processID");

/** SQLSTATE class of a rejected authorization, and codes of a missing database and of missing privileges. */
const rejectionCodes = /^(?:28...|3D000|42501)$/;

const toProbeError = (address: string, error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof ServeError) return error;
  if (error instanceof DatabaseError) {
    return rejectionCodes.test(error.code ?? "")
      ? serveErrors.databaseRejected(address, error.message, error)
      : serveErrors.databaseUnreachable(address, error.message, error);
  }
  return serveErrors.databaseUnreachable(address, String(readErrorCode(error) ?? error.message), error);
};
