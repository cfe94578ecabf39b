/** Describes a running platform. URLs have no trailing slash and no `/v1`. */
export interface Ready {
  baseUrl: string;
  authUrl: string;
  controlUrl: string;
  /** Path of a file with the secret of the control surface (mode 0600). */
  controlSecretFile: string;
  /** Service token of the seeded workspace. It stays the same on every run with the same data directory and address. */
  token: string;
  workspaceId: string;
  pid: number;
}
