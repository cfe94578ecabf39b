import type { ConnectionFaults } from "./connection-faults.js";

/** Controls the connections to real databases. */
export interface DataPlane {
  readonly faults: ConnectionFaults;
  /** Maximum number of connections per database; null for no limit. */
  connectionLimit: number | null;
  /** Removes all faults and restores the initial limit. */
  reset(): void;
}
