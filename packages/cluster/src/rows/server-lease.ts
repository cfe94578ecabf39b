import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { Client, type ClientBase } from "pg";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { InstanceTracker } from "../connection/instance-tracker.js";
import { type DatabaseAddress, toClientConfig } from "../policy/address.js";
import type { ServerIdentity } from "../policy/server-identity.js";
import { type OtherServer, type ServerRegistry, terminateServerSessions } from "./server-registry.js";

const defaultHeartbeatIntervalMs = 5_000;

/** How long a heartbeat extends the lease, in milliseconds: less than the time after which other servers fence this one. */
const leaseMs = 15_000;

/** How long this server must have observed the silence of another server before it fences it, in milliseconds. */
const observationMs = 14_000;

/** Time until the next attempt after a heartbeat that did not reach Postgres, in milliseconds. */
const retryDelayMs = 500;

/** Time between attempts to connect, in milliseconds. The attempts overlap, because an instance that was replaced may not respond. */
const connectIntervalMs = 1_000;

/** Timeout of a statement of a heartbeat, in milliseconds: less than the time between heartbeats. */
const queryTimeoutMs = 4_000;

/** The options of the heartbeats of a server. */
export interface LeaseOptions {
  /** The database with the records. */
  readonly address: DatabaseAddress;
  readonly registry: ServerRegistry;
  /** Called with each heartbeat. Returns the id of the key with which the server encrypts. */
  readonly refreshKeyId: () => string;
  /** Called once, when other servers have fenced this one. */
  readonly onLost: () => void;
  /** Receives the difference between the clock of Postgres and the local clock with each heartbeat, in milliseconds. */
  readonly onClockOffset: (milliseconds: number) => void;
  /** Terminates sessions of another server in other clusters. Default: there are none. */
  readonly terminateOtherSessions?: (serverId: string) => Promise<void>;
  /** Time between heartbeats, in milliseconds. Default: 5,000. */
  readonly heartbeatIntervalMs?: number | undefined;
  /** Called when another instance of Postgres has replaced the previous one. Rows that this server has read there may be lost. */
  readonly onReplaced?: () => void;
  /** Receives messages for the log. */
  readonly onLog: (line: string) => void;
}

/**
 * The lease of a server, which permits it to work and which its heartbeats renew. A server that was frozen has lost its lease: other servers
 * have terminated its sessions, and it opens no new ones. Fences silent servers and terminates their sessions, which frees their work.
 */
export class ServerLease implements ServerIdentity {
  readonly id = randomBytes(8).toString("hex");
  #lastHeartbeatAt = performance.now();
  #isLost = false;
  #options: LeaseOptions | undefined;
  #client: Client | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #currentHeartbeat: Promise<void> | undefined;
  /** The last heartbeats of other servers, and since when this server has seen no later ones. */
  #seenHeartbeats = new Map<string, { lastHeartbeat: string; since: number }>();
  readonly #instances = new InstanceTracker((address) => this.#handleReplaced(address));
  #checkedAt = 0;
  readonly #monitorTimers = new Set<ReturnType<typeof setInterval>>();
  /** The reason for which the last heartbeat failed. */
  #outage: string | undefined;

  /**
   * @param createSocket returns a socket of this machine.
   * @param createRejectedSocket returns a socket whose connection fails.
   */
  constructor(
    private readonly createSocket: () => Duplex,
    private readonly createRejectedSocket: () => Duplex,
  ) {}

  openStream(): Duplex {
    return this.isLive() ? this.createSocket() : this.createRejectedSocket();
  }

  isLive(): boolean {
    return !this.#isLost && performance.now() - this.#lastHeartbeatAt < leaseMs;
  }

  async register(client: ClientBase): Promise<void> {
    // Work that began at the previous instance has just lost its locks.
    if (await this.#instances.register(client))
      throw new Error("Another instance of Postgres has replaced the one before");
  }

  checkReplacement(): void {
    const { address } = this.#options ?? {};
    const now = performance.now();
    if (address === undefined || this.#isLost || now - this.#checkedAt < connectIntervalMs / 2) return;
    this.#checkedAt = now;
    this.#probe(address);
  }

  /**
   * Checks regularly whether an address points to another instance of Postgres, because statements that wait for the previous one may wait
   * for a long time.
   *
   * @param address an address other than the address of the records, which heartbeats use.
   */
  monitorAddress(address: DatabaseAddress): void {
    this.#monitorTimers.add(setInterval(() => this.#probe(address), this.#heartbeatIntervalMs).unref());
  }

  /** Opens a connection. `register` detects if the address points to another instance. */
  #probe(address: DatabaseAddress): void {
    this.#open(address).then(
      (client) => client.end(),
      // A later attempt may reach the address.
      () => undefined,
    );
  }

  get #heartbeatIntervalMs(): number {
    return this.#options?.heartbeatIntervalMs ?? defaultHeartbeatIntervalMs;
  }

  /** Begins to renew the lease. The server must be registered. */
  start(options: LeaseOptions): void {
    this.#options = options;
    this.#lastHeartbeatAt = performance.now();
    this.#scheduleHeartbeat(this.#heartbeatIntervalMs);
  }

  /** Releases the lease, so that other servers do not wait for its end. */
  async close(): Promise<void> {
    const wasLost = this.#isLost;
    // No heartbeat follows the current one.
    this.#isLost = true;
    clearTimeout(this.#timer);
    for (const timer of this.#monitorTimers) clearInterval(timer);
    await this.#currentHeartbeat;
    const { registry } = this.#options ?? {};
    if (!wasLost)
      await this.#run((query) => registry?.remove(query, this.id) ?? Promise.resolve()).catch(
        () => undefined,
      );
    await this.#client?.end().catch(() => undefined);
  }

  #handleReplaced(address: string): void {
    const { onReplaced, onLog } = this.#options ?? {};
    onReplaced?.();
    onLog?.(`${address} leads to another instance of Postgres. The connections to the one before are ended`);
  }

  #scheduleHeartbeat(delayMs: number): void {
    if (this.#isLost) return;
    this.#timer = setTimeout(() => {
      this.#currentHeartbeat = this.#sendHeartbeat().then(
        () => {
          this.#reportOutage(undefined);
          this.#scheduleHeartbeat(this.#heartbeatIntervalMs);
        },
        (error: unknown) => {
          // Postgres cannot be reached. The lease expires, and silence of other servers cannot be observed.
          this.#seenHeartbeats.clear();
          this.#reportOutage(error);
          this.#scheduleHeartbeat(retryDelayMs);
        },
      );
    }, delayMs).unref();
  }

  /** Logs that heartbeats have begun to fail, or no longer fail. */
  #reportOutage(error: unknown): void {
    const reason = error instanceof Error ? error.message || readErrorCode(error) : undefined;
    if (reason !== this.#outage)
      this.#options?.onLog(
        reason === undefined
          ? "Heartbeats reach Postgres again"
          : `Heartbeats do not reach Postgres: ${reason}`,
      );
    this.#outage = reason;
  }

  async #sendHeartbeat(): Promise<void> {
    const options = this.#options;
    if (options === undefined || this.#isLost) return;
    const { registry, refreshKeyId, onLost, onClockOffset } = options;
    const [startedAt, startedDate] = [performance.now(), Date.now()];
    const result = await this.#run((query) => registry.sendHeartbeat(query, this.id, refreshKeyId()));
    if (!result.isRegistered) {
      this.#isLost = true;
      onLost();
      return;
    }
    this.#lastHeartbeatAt = startedAt;
    onClockOffset(result.now - (startedDate + Date.now()) / 2);
    for (const serverId of this.#selectSilent(result.otherServers))
      await this.#fenceServer(serverId, options);
  }

  /** Returns the ids of servers that are fenced, or whose silence this server has observed for long enough. */
  #selectSilent(otherServers: readonly OtherServer[]): string[] {
    const now = performance.now();
    const seenHeartbeats = otherServers.map(({ id, lastHeartbeat }) => {
      const seenHeartbeat = this.#seenHeartbeats.get(id);
      return [
        id,
        seenHeartbeat?.lastHeartbeat === lastHeartbeat ? seenHeartbeat : { lastHeartbeat, since: now },
      ] as const;
    });
    this.#seenHeartbeats = new Map(seenHeartbeats);
    return otherServers.flatMap(({ id, isSilent, isFenced }) => {
      const silentMs = now - (this.#seenHeartbeats.get(id)?.since ?? now);
      return isFenced || (isSilent && silentMs >= observationMs) ? [id] : [];
    });
  }

  async #fenceServer(
    serverId: string,
    { registry, terminateOtherSessions, onLog }: LeaseOptions,
  ): Promise<void> {
    const isSilent = await this.#run((query) => registry.fence(query, serverId));
    if (!isSilent) return;
    onLog(`The server ${serverId} is silent. Its sessions are ended, and others take its work`);
    await this.#run((query) => terminateServerSessions(query, serverId));
    await terminateOtherSessions?.(serverId);
    await this.#run((query) => registry.remove(query, serverId));
  }

  /** Runs a callback on a connection that does not depend on the lease. */
  async #run<T>(
    callback: (
      query: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>,
    ) => Promise<T>,
  ): Promise<T> {
    const client = await this.#connect();
    try {
      return await callback(async <Row extends object>(text: string, values: readonly unknown[] = []) => {
        return (await client.query<Row>(text, [...values])).rows;
      });
    } catch (error) {
      this.#client = undefined;
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Connects to the instance that responds first. */
  async #connect(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const { address } = this.#options ?? {};
    if (address === undefined) throw new Error("The lease has not started");
    const client = await new Promise<Client>((resolve, reject) => {
      let cause: unknown;
      let hasStopped = false;
      const stopAttempts = (): void => {
        hasStopped = true;
        clearInterval(interval);
        clearTimeout(timer);
      };
      const attempt = (): void => {
        this.#open(address).then(
          (openClient) => {
            if (hasStopped) void openClient.end().catch(() => undefined);
            else resolve(openClient);
            stopAttempts();
          },
          (error: unknown) => (cause = error),
        );
      };
      const interval = setInterval(attempt, connectIntervalMs);
      const timer = setTimeout(() => {
        stopAttempts();
        reject(cause instanceof Error ? cause : new Error("it does not respond"));
      }, queryTimeoutMs);
      attempt();
    });
    client.on("end", () => {
      if (this.#client === client) this.#client = undefined;
    });
    this.#client = client;
    return client;
  }

  /** Opens a connection that does not depend on the lease. */
  async #open({ server: _, ...address }: DatabaseAddress): Promise<Client> {
    const client = new Client({
      ...toClientConfig(address, "mgmt lease"),
      database: address.database,
      options: "-c search_path=pg_catalog",
      connectionTimeoutMillis: queryTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
    });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await this.#instances.register(client);
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }
}
