import { textAt } from "./request.js";

/** A content of the table `marker`; null for no table. */
export type Marker = number | null;

/** A login of a database, as a client knows it. */
export interface KnownConnection {
  id: string;
  /** The connection string that was returned last. */
  url: string;
}

/** A database, as a client knows it. */
export interface KnownDatabase {
  id: string;
  isDefault: boolean;
  /** What it may contain: more than one after a change whose outcome is unknown. */
  markers: Marker[];
  connections: KnownConnection[];
  /** Completed backups, with what they may contain. */
  backups: Map<string, Marker[]>;
}

/** A project, as a client knows it. */
export interface KnownProject {
  id: string;
  /** Index of its workspace. */
  workspace: 0 | 1;
  databases: KnownDatabase[];
  /** Names of databases that a request with an unknown outcome may have created, with what they may contain. */
  unsureDatabases: Map<string, Marker[]>;
  /** Connection strings that rotations ended. */
  ended: string[];
  /** Whether the outcome of a change is unknown. Nothing more is changed then. What the change was about is no longer in the lists. */
  isUnsure: boolean;
  /** Whether this change is the deletion of the project. */
  isDeleting: boolean;
}

/** Returns the connection in a response with secrets. */
export const connectionIn = (body: unknown): KnownConnection => ({
  id: textAt(body, "data", "id"),
  url: textAt(body, "data", "connectionString"),
});

/** Returns the database in the data of a response, with its connection. */
export const databaseIn = (data: unknown, markers: readonly Marker[], isDefault: boolean): KnownDatabase => {
  const connection = { id: textAt(data, "connections", 0, "id"), url: textAt(data, "connectionString") };
  const backups = new Map<string, Marker[]>();
  return { id: textAt(data, "id"), isDefault, markers: [...markers], connections: [connection], backups };
};

/** Removes an item from a list. */
export const remove = <T>(list: T[], item: T): void => void list.splice(list.indexOf(item), 1);
