import { type Server, type Socket, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConnectionFaults,
  type DataPlane,
  DatabaseUnavailableError,
  type InstalledConnectionFault,
} from "@mgmt/engine";
import { type LoginRejectedError, loginRejections } from "@mgmt/cluster/connection/login-rejected";
import { AuthenticationObserver } from "./authentication.js";
import { type StartupMessage, replaceDatabase } from "./first-message.js";
import { addHints, replaceTerminationError } from "./rewrite-errors.js";
import { flushAndClose, endAndDrain } from "./close-socket.js";
import { type HandshakeResult, Handshake } from "./handshake.js";
import { relayBytes } from "./relay-bytes.js";
import { toRejection, rejections } from "./rejection.js";
import { type PostgresAddress, type Upstream, connectToPostgres, connectAndSend } from "./upstream.js";

/** Where the proxy listens, and the Postgres server behind it. */
export interface PostgresProxyOptions {
  port: number;
  /** Key and certificate in PEM. */
  credentials: { key: string; cert: string };
  postgres: PostgresAddress;
  /** Maximum number of connections per database; null for no limit. */
  connectionLimit: number | null;
  faults: ConnectionFaults;
  /** Receives errors that should not happen. */
  onDefect: (error: unknown) => void;
  /** Time for a client to send its first message, in milliseconds. Default: 10,000. */
  greetingTimeoutMs?: number;
  /**
   * Time that a new connection waits for Postgres while it is not available, and for a database that is being created, copied or
   * restored, in milliseconds. Default: 10,000.
   */
  timeoutMs?: number;
}

/**
 * Returns the name of the database of a login role; undefined for other users.
 *
 * @param limits how long the client can wait for a database that is being created, copied or restored.
 */
export type FindDatabase = (
  user: string,
  limits: { timeoutMs: number; signal: AbortSignal },
) => string | undefined | Promise<string | undefined>;

/** The information about databases that the proxy needs. A `databaseName` is the name in Postgres. */
export interface DatabaseDirectory {
  findDatabase: FindDatabase;
  /** Returns the current name of a database in the API. */
  findApiName: (databaseName: string) => Promise<string | undefined>;
  /** Returns why sessions of a database end now; undefined when the platform does not end them. */
  findTerminationReason: (databaseName: string) => LoginRejectedError | undefined;
}

/** A client that asks for a database, or uses it. */
interface Session {
  databaseName: string;
  client: Socket;
  /** Whether Postgres has accepted its password. Other sessions do not count, because anyone can open them in any name. */
  isAccepted: boolean;
  latencyFault: InstalledConnectionFault | undefined;
  /** The name of the database that the client asks for, in Latin-1, or undefined if it is one that every database has. */
  requestedName: string | undefined;
}

/** Name of the database in the connection strings. It means the database of the login. */
const commonDatabaseName = "postgres";

const findRequestedName = ({ user, database }: StartupMessage, ownDatabaseName: string): string | undefined =>
  database === undefined || [ownDatabaseName, user, commonDatabaseName].includes(database)
    ? undefined
    : database;

const loopbackHosts = ["127.0.0.1", "::1"] as const;

/** Time that sessions have to receive their last bytes when the proxy closes, in milliseconds. */
const closeTimeoutMs = 500;

/** Time that a client has to receive an error, in milliseconds. */
const rejectionTimeoutMs = 1_000;

/** Time between checks of whether the proxy is open, in milliseconds. */
const openCheckIntervalMs = 25;

/** Far more than Postgres accepts. Protects the file descriptors of the process. */
const maxSockets = 1_000;

/**
 * Maximum number of clients whose password Postgres has not accepted. When there are more, the oldest is disconnected, so that
 * clients that never log in cannot keep out others, which need only milliseconds.
 */
const maxUnacceptedClients = 400;

/**
 * Accepts the clients of the databases instead of Postgres. It offers TLS, connects every login to its own database,
 * which is also called `postgres`, as the login, or as in the API, and waits while Postgres restarts. After the start-up message it only passes
 * bytes on: passwords are checked by Postgres alone, so the proxy never sees a secret in plain text.
 */
export class PostgresProxy implements DataPlane {
  readonly port: number;
  readonly faults: ConnectionFaults;
  connectionLimit: number | null;
  readonly #options: PostgresProxyOptions;
  readonly #timeoutMs: number;
  readonly #handshake: Handshake;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Session>();
  /** By address, the oldest first. */
  readonly #unacceptedClients = new Map<string, Socket>();
  /** One for each client that has not reached Postgres. */
  readonly #pendingClients = new Set<AbortController>();
  #directory: DatabaseDirectory | undefined;

  private constructor(options: PostgresProxyOptions) {
    const { greetingTimeoutMs = 10_000, timeoutMs = 10_000 } = options;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    this.port = options.port;
    this.connectionLimit = options.connectionLimit;
    this.faults = options.faults;
    this.faults.onAdd = (fault) => this.#applyOpenFault(fault);
    this.#handshake = new Handshake({
      ...options.credentials,
      timeoutMs: greetingTimeoutMs,
      onMessage: (client) => {
        this.#serveClient(client).catch((error: unknown) => this.#rejectClient(client.socket, error));
      },
      onError: (socket, error) => this.#rejectClient(socket, error),
    });
  }

  /**
   * Listens on the loopback addresses. Clients wait until `open` is called.
   *
   * @throws the system's error when the port is in use.
   */
  static async listen(options: PostgresProxyOptions): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(options);
    const [requiredHost, optionalHost] = loopbackHosts;
    await proxy.#listen(requiredHost);
    // The second host is IPv6, which some machines do not have.
    await proxy.#listen(optionalHost).catch(() => undefined);
    return proxy;
  }

  /** Starts to pass connections on to Postgres. */
  open(directory: DatabaseDirectory): void {
    this.#directory = directory;
  }

  reset(): void {
    this.faults.clear();
    this.connectionLimit = this.#options.connectionLimit;
  }

  /** Stops accepting connections, and rejects those that have not reached Postgres. Sessions continue. */
  stopAccepting(): void {
    for (const controller of this.#pendingClients) controller.abort(rejections.stopping());
    for (const server of this.#servers) server.close();
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.stopAccepting();
    const allClosed = Promise.all([...this.#sockets].map((socket) => waitForClose(socket)));
    await Promise.race([allClosed, sleep(closeTimeoutMs, undefined, { ref: false })]);
    for (const socket of this.#sockets) socket.destroy();
    await allClosed;
  }

  #listen(host: string): Promise<void> {
    const server = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) =>
      this.#greetSocket(socket),
    );
    server.maxConnections = maxSockets;
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port: this.port, host, exclusive: true }, () => {
        // Accepting a connection can fail, for example for lack of file descriptors. Node.js then closes it.
        server.off("error", reject).on("error", () => undefined);
        this.#servers.push(server);
        resolve();
      });
    });
  }

  #greetSocket(socket: Socket): void {
    this.#sockets.add(socket);
    const address = formatRemoteAddress(socket);
    this.#unacceptedClients.set(address, socket);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      if (this.#unacceptedClients.get(address) === socket) this.#unacceptedClients.delete(address);
    });
    const [oldestClient] = this.#unacceptedClients.values();
    if (this.#unacceptedClients.size > maxUnacceptedClients) oldestClient?.destroy();
    this.#handshake.start(socket);
  }

  async #serveClient({ socket, message, bytesAfter }: HandshakeResult): Promise<void> {
    if (message.type === "cancel") {
      this.#forwardCancelRequest(socket, message.bytes);
      return;
    }
    const controller = new AbortController();
    this.#pendingClients.add(controller);
    socket.on("close", () => controller.abort());
    try {
      const databaseName = await this.#findDatabase(message.user, controller.signal);
      // Postgres rejects users that the proxy does not know.
      const session =
        databaseName === undefined ? undefined : this.#registerSession(databaseName, message, socket);
      const startupBytes =
        databaseName === undefined ? message.bytes : replaceDatabase(message.bytes, databaseName);
      const getLatency = (): number => this.#getLatencyMs(session);
      if (getLatency() > 0) await sleep(getLatency(), undefined, { signal: controller.signal });
      const waitOptions = { timeoutMs: this.#timeoutMs, signal: controller.signal };
      const { upstream, firstBytes } = await connectToPostgres(
        this.#options.postgres,
        startupBytes,
        waitOptions,
      );
      relayBytes(socket, upstream, { pendingBytes: bytesAfter, firstBytes, getLatency });
      const { receive } = upstream;
      upstream.receive = (bytes) => receive(addHints(bytes));
      this.#awaitAcceptance(socket, upstream, session, firstBytes);
    } catch (error) {
      throw controller.signal.aborted ? controller.signal.reason : error;
    } finally {
      this.#pendingClients.delete(controller);
    }
  }

  /**
   * Counts the session as soon as Postgres accepts it, or closes it if its database has too many, or if it asks for another one. Without
   * the password, a client does not learn which databases exist.
   */
  #awaitAcceptance(
    client: Socket,
    upstream: Upstream,
    session: Session | undefined,
    firstBytes: Buffer,
  ): void {
    const authentication = new AuthenticationObserver();
    authentication.observeAcceptance(firstBytes);
    const { receive } = upstream;
    upstream.receive = (bytes) => {
      if (!authentication.observeAcceptance(bytes)) return receive(bytes);
      upstream.receive =
        session === undefined
          ? receive
          : (nextBytes) => receive(this.#replaceTerminationError(session, nextBytes));
      this.#unacceptedClients.delete(formatRemoteAddress(client));
      if (session === undefined || session.requestedName === undefined)
        return this.#acceptConnection(session, upstream, bytes);
      this.#acceptIfNameMatches(session, session.requestedName, upstream, bytes).catch((error: unknown) => {
        this.#rejectClient(client, error);
        upstream.socket.destroy();
      });
      return false;
    };
  }

  /** Replaces the error of a session that the platform has terminated by the reason. */
  #replaceTerminationError({ databaseName }: Session, bytes: Buffer): Buffer {
    const terminationReason = this.#directory?.findTerminationReason(databaseName);
    return terminationReason === undefined ? bytes : replaceTerminationError(bytes, terminationReason);
  }

  /** Counts the session, and passes on the data from Postgres. Closes it if its database has too many. */
  #acceptConnection(session: Session | undefined, upstream: Upstream, bytes: Buffer): boolean {
    if (session === undefined) return upstream.receive(bytes);
    try {
      this.#rejectTooManySessions(session.databaseName);
    } catch (error) {
      this.#rejectClient(session.client, error);
      upstream.socket.destroy();
      return true;
    }
    session.isAccepted = true;
    return upstream.receive(bytes);
  }

  /**
   * Accepts the session if the database has the name that the client asks for.
   *
   * @throws Rejection when it has another name.
   */
  async #acceptIfNameMatches(
    session: Session,
    requestedName: string,
    upstream: Upstream,
    bytes: Buffer,
  ): Promise<void> {
    const { receive } = upstream;
    const receivedChunks = [Buffer.from(bytes)];
    upstream.receive = (nextBytes) => {
      receivedChunks.push(Buffer.from(nextBytes));
      return false;
    };
    const name = await this.#findApiName(session.databaseName);
    if (name === undefined || Buffer.from(name).toString("latin1") !== requestedName)
      throw rejections.noDatabase(requestedName);
    if (session.client.destroyed) return;
    upstream.receive = receive;
    if (this.#acceptConnection(session, upstream, Buffer.concat(receivedChunks))) upstream.socket.resume();
  }

  /** @throws Rejection while Postgres cannot be reached. */
  async #findApiName(databaseName: string): Promise<string | undefined> {
    try {
      return await this.#directory?.findApiName(databaseName);
    } catch (error) {
      throw error instanceof DatabaseUnavailableError ? rejections.restarting() : error;
    }
  }

  /**
   * Returns the name of the database of a user; undefined for an unknown user. Waits while the database is created, copied or restored,
   * and while Postgres restarts.
   */
  async #findDatabase(user: string, signal: AbortSignal): Promise<string | undefined> {
    const { findDatabase } = await this.#waitForDirectory(signal);
    for (
      const deadline = performance.now() + this.#timeoutMs;
      ;
      await sleep(openCheckIntervalMs, undefined, { signal })
    ) {
      try {
        return await findDatabase(user, { timeoutMs: this.#timeoutMs, signal });
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError)) throw error;
        if (performance.now() >= deadline) throw rejections.restarting();
      }
    }
  }

  async #waitForDirectory(signal: AbortSignal): Promise<DatabaseDirectory> {
    for (
      const deadline = performance.now() + this.#timeoutMs;
      ;
      await sleep(openCheckIntervalMs, undefined, { signal })
    ) {
      if (this.#directory !== undefined) return this.#directory;
      if (performance.now() >= deadline) throw rejections.restarting();
    }
  }

  /**
   * Registers a session, unless its database has too many or a fault prevents it.
   *
   * @throws Rejection; LoginRejectedError; DroppedConnectionError when the client was disconnected.
   */
  #registerSession(databaseName: string, startup: StartupMessage, client: Socket): Session {
    this.#rejectTooManySessions(databaseName);
    const fault = this.faults.strikeFirst(databaseName);
    if (fault?.effect === "refuse") throw rejections.fault(fault);
    if (fault?.effect === "drop") throw new DroppedConnectionError();
    const session: Session = {
      databaseName,
      client,
      isAccepted: false,
      latencyFault: fault,
      requestedName: findRequestedName(startup, databaseName),
    };
    this.#sessions.add(session);
    client.on("close", () => this.#sessions.delete(session));
    return session;
  }

  /** @throws LoginRejectedError when the database has as many sessions as it may have. */
  #rejectTooManySessions(databaseName: string): void {
    const limit = this.connectionLimit;
    if (limit === null) return;
    const openSessions = [...this.#sessions].filter(
      (session) => session.isAccepted && session.databaseName === databaseName,
    );
    if (openSessions.length >= limit) throw loginRejections.tooManyConnections(databaseName, limit);
  }

  #getLatencyMs(session: Session | undefined): number {
    const fault = session?.latencyFault;
    return fault?.latency !== undefined && this.faults.has(fault.id) ? fault.latency : 0;
  }

  /** Applies a new fault to the sessions that are open. */
  #applyOpenFault({ id, effect }: InstalledConnectionFault): void {
    if (effect === "refuse") return;
    for (const session of this.#sessions) {
      const fault = this.faults.strike(id, session.databaseName);
      if (fault?.effect === "drop") session.client.destroy();
      else if (fault !== undefined) session.latencyFault = fault;
    }
  }

  #forwardCancelRequest(client: Socket, request: Buffer): void {
    const { socket } = connectAndSend(this.#options.postgres, request);
    socket.on("close", () => endAndDrain(client, { timeoutMs: rejectionTimeoutMs }));
    // A client may close the connection as soon as it has sent the request.
    client.on("close", () => flushAndClose(socket, rejectionTimeoutMs));
  }

  #rejectClient(client: Socket, error: unknown): void {
    if (client.destroyed) return;
    const rejection = toRejection(error);
    if (rejection === undefined) {
      client.destroy();
      if (!(error instanceof DroppedConnectionError)) this.#options.onDefect(error);
      return;
    }
    endAndDrain(client, { timeoutMs: rejectionTimeoutMs, lastBytes: rejection.encode() });
  }
}

/** Thrown when a fault disconnects a client. */
class DroppedConnectionError extends Error {}

const waitForClose = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.once("close", () => resolve()));

/** Identifies a client, also by the TLS socket that took its socket over. */
const formatRemoteAddress = ({ remoteAddress = "", remotePort = 0 }: Socket): string =>
  `${remoteAddress} ${String(remotePort)}`;
