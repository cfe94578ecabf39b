import type { ConnectionFormat } from "@mgmt/sdk";

/** How to connect to a database. */
export interface ConnectionSettings {
  /** Host name or address, without a port or brackets. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** `disable` on this machine, where the certificate is one that no client trusts and nothing leaves the machine. */
  readonly sslMode: "disable" | "require";
  /** Whether a connection pooler is between the client and the database. */
  readonly isPooled: boolean;
}

/** Forms of a connection string, by the programs that read them. */
export const connectionFormats = [
  "uri",
  "prisma",
  "jdbc",
  "dsn",
  "env",
] as const satisfies readonly ConnectionFormat[];
