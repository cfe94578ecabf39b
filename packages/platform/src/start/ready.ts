import type { CopyMethod } from "../machine/postgres/copy-method.js";

/** Describes a running platform. URLs have no trailing slash and no `/v1`. */
export interface Ready {
  baseUrl: string;
  authUrl: string;
  controlUrl: string;
  /** Path of a file with the secret of the control surface (mode 0600). */
  controlSecretFile: string;
  /** Path of a file with the key that a browser must send once to sign in (mode 0600); null if none is required. */
  signInKeyFile: string | null;
  /** Service token of the seeded workspace. It stays the same on every run with the same data directory and address. */
  token: string;
  /** Id of the workspace that the token belongs to. */
  workspaceId: string;
  /** Path of the certificate to verify the TLS connections of databases with (`sslmode=verify-full&sslrootcert=…`). */
  caFile: string;
  /** Port of Postgres itself on 127.0.0.1. Connection strings contain the port of the proxy in front of it. */
  postgresPort: number;
  /**
   * How Postgres copies large databases: `clone` shares the blocks of their files with the source, which takes little time and disk. It needs
   * Postgres 18, and a data directory on a file system that can clone files, such as APFS, Btrfs, XFS, or ZFS.
   */
  copyMethod: CopyMethod;
  /** Id of the process that runs the platform. */
  pid: number;
}
