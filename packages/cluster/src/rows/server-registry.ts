import { setTimeout as sleep } from "node:timers/promises";
import { type ClientBase, escapeIdentifier } from "pg";
import {
  adminApplicationName,
  buildApplicationName,
  recordsApplicationName,
} from "../policy/server-identity.js";
import { firstVersionWithServerSchema, migrations } from "./migrations.js";

/** After this time without a heartbeat, other servers may fence a server, in seconds. */
export const silenceLimitSeconds = 20;

/** How long the sessions of a server may take to terminate, in milliseconds. */
const terminationTimeoutMs = 10_000;
const terminationPollIntervalMs = 50;

/** Digests of the values of settings that must be the same in all servers, by name. */
export type SettingDigests = Readonly<Record<string, string>>;

/** Thrown when a server has other settings than the servers that run. */
export class SettingsDifferError extends Error {
  override readonly name = "SettingsDifferError";

  constructor(readonly settingNames: readonly string[]) {
    super(`Other servers run with other values of ${settingNames.join(", ")}`);
  }
}

/** Runs a statement on the records. */
type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Another server, at the time of a heartbeat. */
export interface OtherServer {
  readonly id: string;
  /** The time of its last heartbeat, as text that is only compared. */
  readonly lastHeartbeat: string;
  /** Whether its last heartbeat was too long ago. */
  readonly isSilent: boolean;
  /** Whether a server has revoked its lease. */
  readonly isFenced: boolean;
}

/** The result of a heartbeat. */
export interface HeartbeatResult {
  /** Whether the lease is valid. If not, other servers have fenced this one. */
  readonly isRegistered: boolean;
  /** The clock of Postgres, in milliseconds since 1970. */
  readonly now: number;
  readonly otherServers: readonly OtherServer[];
}

/** A server with a lease. */
export interface RegisteredServer {
  readonly id: string;
  readonly version: string;
  /** When it started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** How long ago its last heartbeat was, in seconds. */
  readonly silentSeconds: number;
  /** The id of the key with which the server encrypts. Null if it has not reported it. */
  readonly keyId: string | null;
}

/** SQL condition on a server that has had no heartbeat for too long. */
const silentCondition = `heartbeat_at < clock_timestamp() - make_interval(secs => ${String(silenceLimitSeconds)})`;

/**
 * The table of the servers that work on the same records. A server has a row until it has stopped, or other servers have terminated its
 * sessions.
 */
export class ServerRegistry {
  readonly #table: string;

  constructor(schema: string) {
    this.#table = `${escapeIdentifier(schema)}.servers`;
  }

  /**
   * Adds a server, under a lock that serializes registrations. A setting that only one of two versions has is not compared, so that one
   * version can replace the other.
   *
   * @throws SettingsDifferError
   */
  async register(
    client: ClientBase,
    lockKey: string,
    {
      id,
      version,
      settings,
      keyId,
    }: { id: string; version: string; settings: SettingDigests; keyId: string },
  ): Promise<void> {
    await client.query(`begin; select pg_advisory_xact_lock(${lockKey})`);
    const { rows } = await client.query<{ settings: SettingDigests }>(
      `select settings from ${this.#table}
        where fenced_at is null and not (${silentCondition})`,
    );
    const differentNames = Object.keys(settings).filter((name) =>
      rows.some((row) => row.settings[name] !== undefined && row.settings[name] !== settings[name]),
    );
    if (differentNames.length > 0) throw new SettingsDifferError(differentNames);
    await client.query(
      `insert into ${this.#table} (id, version, settings, key_id, schema_version) values ($1, $2, $3, $4, $5)`,
      [id, version, settings, keyId, migrations.length],
    );
    await client.query("commit");
  }

  /**
   * Returns the servers whose program is older than a version of the schema, oldest first. No server can register until the end of the
   * transaction.
   */
  async listOlder(
    client: ClientBase,
    lockKey: string,
    schemaVersion: number,
  ): Promise<Pick<RegisteredServer, "id" | "version">[]> {
    await client.query(`select pg_advisory_xact_lock(${lockKey})`);
    // An earlier version of the table does not have the column.
    const { rows } = await client.query<Pick<RegisteredServer, "id" | "version">>(
      `select id, version from ${this.#table} s
        where fenced_at is null and not (${silentCondition})
          and coalesce((to_jsonb(s) ->> 'schema_version')::integer, ${String(firstVersionWithServerSchema - 1)}) < $1
        order by started_at`,
      [schemaVersion],
    );
    return rows;
  }

  /** @param keyId the id of the key with which the server encrypts. */
  async sendHeartbeat(query: Query, id: string, keyId: string): Promise<HeartbeatResult> {
    const [row] = await query<{ isRegistered: boolean; now: number; others: OtherServer[] }>(
      `with beat as (
          update ${this.#table} set heartbeat_at = clock_timestamp(), key_id = $2
            where id = $1 and fenced_at is null returning 1
        )
        select exists (select from beat) as "isRegistered",
          (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
          (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'lastHeartbeat', heartbeat_at::text,
              'isSilent', ${silentCondition}, 'isFenced', fenced_at is not null)), '[]')
            from ${this.#table} where id <> $1) as others`,
      [id, keyId],
    );
    return {
      isRegistered: row?.isRegistered ?? false,
      now: row?.now ?? NaN,
      otherServers: row?.others ?? [],
    };
  }

  /**
   * Revokes the lease of a silent server before its sessions are terminated. The row stays until they are, so that another server continues
   * if this one stops in the meantime. Returns whether the server was still silent.
   */
  async fence(query: Query, id: string): Promise<boolean> {
    const rows = await query(
      `update ${this.#table} set fenced_at = coalesce(fenced_at, clock_timestamp())
        where id = $1 and (fenced_at is not null or ${silentCondition}) returning id`,
      [id],
    );
    return rows.length > 0;
  }

  async remove(query: Query, id: string): Promise<void> {
    await query(`delete from ${this.#table} where id = $1`, [id]);
  }

  /** Returns the servers, oldest first. */
  list(query: Query): Promise<RegisteredServer[]> {
    return query<RegisteredServer>(
      `select id, version, (extract(epoch from started_at) * 1000)::float8 as "startedAt",
          extract(epoch from clock_timestamp() - heartbeat_at)::float8 as "silentSeconds", key_id as "keyId"
        from ${this.#table} order by started_at`,
    );
  }
}

/**
 * Terminates the sessions of a server, and waits until they are closed, which releases its locks.
 *
 * @throws Error when a session does not terminate. The caller tries again later.
 */
export const terminateServerSessions = async (query: Query, id: string): Promise<void> => {
  const names = [adminApplicationName, recordsApplicationName].map((name) =>
    buildApplicationName(name, { id }),
  );
  for (const deadline = performance.now() + terminationTimeoutMs; ; await sleep(terminationPollIntervalMs)) {
    const rows = await query(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
        where usename = current_user and application_name = any ($1) and pid <> pg_backend_pid()`,
      [names],
    );
    if (rows.length === 0) return;
    if (performance.now() > deadline) throw new Error(`The sessions of the server ${id} do not end`);
  }
};
