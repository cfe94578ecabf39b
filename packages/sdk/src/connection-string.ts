import { InvalidArgumentError } from "./errors/local-errors.js";
import type { ConnectionWithSecrets, DirectConnection, Endpoint } from "./generated/types.js";
import { isLoopbackHostname } from "./checks/loopback.js";
import { assertOptions } from "#type-checks";

/**
 * Form of a connection string: `uri` for most programs; `prisma`, a URI with the parameters that Prisma needs; `jdbc`, a URL for
 * Java; `dsn`, keywords and values for programs that use libpq; `env`, a line for an env file with the name `DATABASE_URL`.
 */
export type ConnectionFormat = "uri" | "prisma" | "jdbc" | "dsn" | "env";

/** Options of `connectionString`. */
export interface ConnectionStringOptions {
  /** Whether to connect through the connection pooler. Default: false. */
  pooled?: boolean | undefined;
  /** Default: `uri`. */
  format?: ConnectionFormat | undefined;
}

/**
 * The parts of a connection that `connectionString` reads. A `Connection` has them, and so has a connection that was created or rotated.
 */
export interface ConnectableConnection extends Partial<
  Pick<ConnectionWithSecrets, "host" | "user" | "pass">
> {
  directConnection?: DirectConnection | null;
  endpoints?: { pooled?: Endpoint };
}

interface ConnectionTarget {
  /** Host name or address, without a port or brackets. */
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly password: string;
  /** `disable` on this machine, where the certificate is one that no client trusts and nothing leaves the machine. */
  readonly sslMode: "disable" | "require";
  readonly isPooled: boolean;
}

/** The name of the database in every connection string. Every database of the service has this name for its clients. */
const databaseName = "postgres";

/**
 * Builds the connection string of a connection, also of one from a list or inside a database, if the service reports its password
 * (`directConnection`). As one line, encoded for the programs that read it. It is a secret.
 *
 * ```ts
 * const [connection] = await client.databases.connections.list(databaseId).toArray({ limit: 1 });
 * process.env.DATABASE_URL = connectionString(connection, { pooled: true, format: "prisma" });
 * ```
 *
 * Throws `InvalidArgumentError` if the connection has no password, or no pooled endpoint for `pooled`, or for an unknown format.
 */
export const connectionString = (
  connection: ConnectableConnection,
  options: ConnectionStringOptions = {},
): string => {
  assertOptions(options, "connectionString", () => InvalidArgumentError);
  const { pooled = false, format = "uri", ...unknownOptions } = options;
  for (const name in unknownOptions) throw new InvalidArgumentError(name, "is not an option");
  const formatter = Object.hasOwn(formatters, format) ? formatters[format] : undefined;
  if (!formatter) {
    throw new InvalidArgumentError("format", `must be one of ${Object.keys(formatters).join(", ")}`);
  }
  return formatter(resolveTarget(connection, pooled));
};

/** Matches one host with an optional port. A URL could also have a user, a path, or several hosts in this place. */
const hostPattern = /^(?:[\w.-]+|\[[\d:.a-f]+\])(?::[1-9]\d*)?$/i;

const resolveTarget = (connection: ConnectableConnection, isPooled: boolean): ConnectionTarget => {
  const { host, user, pass } = connection.directConnection ?? connection;
  if (!host || !user || typeof pass !== "string") {
    throw new InvalidArgumentError("connection", "has no password that can be read", {
      hint: "The service does not report it. Create a connection, or rotate this one, and use the response.",
    });
  }
  const pooler = isPooled ? connection.endpoints?.pooled : undefined;
  if (isPooled && !pooler) {
    throw new InvalidArgumentError("pooled", "is true, but the connection has no pooled endpoint", {
      hint: "Leave pooled out to connect directly.",
    });
  }
  const address = pooler ? `${bracketIpv6(pooler.host)}:${String(pooler.port)}` : host;
  if (!hostPattern.test(address) || !URL.canParse(`postgres://${address}`)) {
    throw new InvalidArgumentError("connection", "has a host that is not valid");
  }
  const { hostname, port } = new URL(`postgres://${address}`);
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port || "5432",
    user,
    password: pass,
    sslMode: isLoopbackHostname(hostname) ? "disable" : "require",
    isPooled,
  };
};

/**
 * Returns a URI that libpq and every driver accept. It contains no character that has a meaning in a shell, in quotes, or in an env file.
 */
const formatUri = (target: ConnectionTarget): string =>
  `postgresql://${encodeUriPart(target.user)}:${encodeUriPart(target.password)}@${formatAddress(target)}/${databaseName}?sslmode=${target.sslMode}`;

const formatters: Readonly<Record<ConnectionFormat, (target: ConnectionTarget) => string>> = {
  uri: formatUri,
  // Without pgbouncer=true, Prisma uses prepared statements, which a pooler may pass to another session.
  prisma: (target) =>
    `${formatUri(target)}&connect_timeout=30${target.isPooled ? "&pool_timeout=30&pgbouncer=true" : ""}`,
  jdbc: (target) =>
    `jdbc:postgresql://${formatAddress(target)}/${databaseName}?user=${encodeUriPart(target.user)}&password=${encodeUriPart(target.password)}&sslmode=${target.sslMode}`,
  dsn: ({ host, port, user, password, sslMode }) =>
    Object.entries({ host, port, dbname: databaseName, user, password, sslmode: sslMode })
      .map(([name, value]) => `${name}='${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`)
      .join(" "),
  env: (target) => `DATABASE_URL='${formatUri(target)}'`,
};

/** Encodes all but letters, digits, and `-_.~`: `encodeURIComponent` leaves quotes and parentheses. */
const encodeUriPart = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const bracketIpv6 = (host: string): string =>
  host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;

const formatAddress = ({ host, port }: ConnectionTarget): string =>
  `${bracketIpv6(host)}${port === "5432" ? "" : `:${port}`}`;
