import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { presenceLockName } from "../connection/presence-lock.js";
import { wrapConnectionErrors } from "../connection/unavailable.js";
import type { Installation } from "../policy/installation.js";

/** Milliseconds between attempts. */
const retryDelayMs = 50;

/**
 * Tells the processes of one installation whether others are there. Each holds a shared lock until it ends. A process that
 * holds it exclusively is the only one, and others wait until it shares the lock. A process that loses this connection still
 * counts while it works, because `PostgresSessions` also shares the lock.
 */
export class Presence {
  /** Part of the names of what this process makes, so that others see whether it goes on. */
  readonly maker = randomBytes(8).toString("hex");
  readonly #address: ClientConfig;
  readonly #installation: Installation;
  readonly #lockKey: string;
  #client: Client | undefined;
  #isClosed = false;

  /**
   * @param address where to connect to, which includes the database with the lock.
   * @param installation the one whose processes see each other.
   */
  constructor(address: ClientConfig, installation: Installation) {
    this.#address = address;
    this.#installation = installation;
    this.#lockKey = installation.toLockKey(presenceLockName);
  }

  /**
   * Enters, and does the work before if no other process is there. Returns undefined if one is.
   *
   * @throws the error of the work; DatabaseUnavailableError when Postgres cannot be reached.
   */
  async enter<T>(workWhenAlone: () => Promise<T>): Promise<T | undefined> {
    const client = await wrapConnectionErrors(() => this.#connect());
    for (; ; await sleep(retryDelayMs)) {
      if (await tryLock(client, `pg_try_advisory_lock(${this.#lockKey})`)) {
        const result = await workWhenAlone();
        await wrapConnectionErrors(() =>
          client.query(
            `select pg_advisory_lock_shared(${this.#lockKey}), pg_advisory_unlock(${this.#lockKey})`,
          ),
        );
        return result;
      }
      // Not while another process is alone still, because it may end before its work does.
      if (await tryLock(client, `pg_try_advisory_lock_shared(${this.#lockKey})`)) return undefined;
    }
  }

  /** Returns whether the process with this `maker` has ended. Call it after `enter`. */
  async hasEnded(maker: string): Promise<boolean> {
    const client = this.#client;
    if (client === undefined) return false;
    const key = this.#toMakerKey(maker);
    // The process shares the lock, also when it connects again before Postgres has ended its last session.
    if (maker === this.maker || !(await tryLock(client, `pg_try_advisory_lock(${key})`))) return false;
    await wrapConnectionErrors(() => client.query(`select pg_advisory_unlock(${key})`));
    return true;
  }

  #toMakerKey(maker: string): string {
    return this.#installation.toLockKey(`maker ${maker}`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<Client> {
    const client = new Client({ ...this.#address, keepAlive: true });
    this.#client = client;
    client.on("error", () => undefined);
    await client.connect();
    await client.query(`select pg_advisory_lock_shared(${this.#toMakerKey(this.maker)})`);
    client.on("end", () => void this.#reconnect(client));
    return client;
  }

  /** Enters again after the connection was lost. */
  async #reconnect(lostClient: Client): Promise<void> {
    while (!this.#isClosed && this.#client === lostClient) {
      try {
        const client = await this.#connect();
        await client.query(
          `set statement_timeout = 0; set lock_timeout = 0; select pg_advisory_lock_shared(${this.#lockKey})`,
        );
        return;
      } catch {
        this.#client = lostClient;
        await sleep(retryDelayMs, undefined, { ref: false });
      }
    }
  }
}

const tryLock = async (client: Client, lockSql: string): Promise<boolean> => {
  const { rows } = await wrapConnectionErrors(() =>
    client.query<{ locked: boolean }>(`select ${lockSql} as locked`),
  );
  return rows.some(({ locked }) => locked);
};
