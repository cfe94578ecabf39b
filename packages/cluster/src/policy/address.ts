import type { ConnectionOptions } from "node:tls";
import type { ClientBase, ClientConfig } from "pg";
import { type ServerIdentity, buildApplicationName } from "./server-identity.js";

/** The kinds of addresses that the API has for a database. */
export type EndpointKind = "direct" | "pooled" | "accelerate";

/** The address that clients of databases connect to. */
export interface PublicAddress {
  readonly host: string;
  readonly port: number;
  /** The `sslmode` of connection strings. Default: `disable`. */
  readonly sslMode?: string;
}

/** How to reach a cluster, and how its clients do. */
export interface ClusterConnectionOptions {
  /** Name or IP address of the server, or the directory of its socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** A function is called for each connection, so that the password can change. */
  readonly password: string | (() => string | Promise<string>);
  /** How to encrypt and verify the connections. Default: they are not encrypted. */
  readonly tls?: ConnectionOptions;
  /** The addresses in connection strings, for each kind. Default: `host` and `port`. */
  readonly endpoints?: Readonly<Record<EndpointKind, PublicAddress>>;
  /** The server process that connects. Default: the only one. */
  readonly server?: ServerIdentity;
}

/** How to connect to a database of a cluster. */
export interface DatabaseAddress extends ClusterConnectionOptions {
  readonly database: string;
}

/** How the driver connects. */
export interface ConnectionConfig extends ClientConfig {
  /** To be called with each new connection before it is used, as a pool does. */
  readonly onConnect?: (client: ClientBase) => Promise<void>;
}

/**
 * Returns how the driver connects. It sets everything that the driver would otherwise take from variables of the user, such as `PGSSLMODE`.
 *
 * @param applicationName the application name of the sessions.
 */
export const toClientConfig = (
  { host, port, user, password, tls, server }: ClusterConnectionOptions,
  applicationName: string,
): ConnectionConfig => ({
  host,
  port,
  user,
  password,
  application_name: buildApplicationName(applicationName, server),
  ssl: tls ?? false,
  sslnegotiation: "postgres",
  client_encoding: "utf8",
  ...(server && { stream: () => server.openStream(), onConnect: (client) => server.register(client) }),
});

/** Returns where clients connect to, for each kind of endpoint. */
export const resolveEndpoints = ({
  host,
  port,
  endpoints,
}: ClusterConnectionOptions): Readonly<Record<EndpointKind, PublicAddress>> => {
  const serverAddress = { host, port };
  return endpoints ?? { direct: serverAddress, pooled: serverAddress, accelerate: serverAddress };
};
