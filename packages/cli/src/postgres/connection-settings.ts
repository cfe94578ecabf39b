import type { ConnectionFormat } from "@mgmt/sdk";

/** How to connect to a database. */
export interface ConnectionSettings {
  /** Host name or address, without a port or brackets. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** `disable` for a local server: no client trusts its certificate, and the traffic does not leave the machine. */
  readonly sslMode: "disable" | "require";
  /** Whether a connection pooler is between the client and the database. */
  readonly isPooled: boolean;
}

/** Formats in which a connection string can be printed. */
export const connectionFormats = [
  "uri",
  "prisma",
  "jdbc",
  "dsn",
  "env",
] as const satisfies readonly ConnectionFormat[];
