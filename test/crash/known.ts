import { textAt } from "./outcome.js";

/** A login of a database, as a client knows it. */
export interface KnownConnection {
  id: string;
  /** The connection string that was answered last. */
  url: string;
  /** Connection strings that a rotation ended. */
  ended: string[];
  /** Whether a change of this connection was not answered. */
  uncertain: "rotated" | "deleted" | undefined;
}

/** A database, as a client knows it. */
export interface KnownDatabase {
  id: string;
  /** Name inside Postgres. */
  name: string;
  isDefault: boolean;
  /** Values that the table `marker` may contain; null for no table. Several after an unanswered change. */
  markers: (number | null)[];
  connections: KnownConnection[];
  /** Completed backups, with the markers that they may contain. */
  backups: Map<string, (number | null)[]>;
  /** Whether its deletion was not answered. */
  isDeletionUncertain: boolean;
  /** Whether other work on it may still be under way, so that a later change could be undone. */
  isUncertain: boolean;
}

/** A project, as a client knows it. */
export interface KnownProject {
  id: string;
  /** Indexes of the workspaces that it may be in. */
  workspaces: (0 | 1)[];
  databases: KnownDatabase[];
  isDeletionUncertain: boolean;
  /** Names of databases whose creation was not answered, with the markers of their source. */
  uncertainDatabases: Map<string, (number | null)[]>;
}

/** Returns the connection in an answer with secrets. */
export const answeredConnection = (body: unknown): KnownConnection => ({
  id: textAt(body, "data", "id"),
  url: textAt(body, "data", "connectionString"),
  ended: [],
  uncertain: undefined,
});

/** Returns the new database in an answer, with its first connection. */
export const answeredDatabase = (id: string, body: unknown, ...below: string[]): KnownDatabase => {
  const url = textAt(body, "data", ...below, "connectionString");
  return {
    id,
    name: new URL(url).pathname.slice(1),
    isDefault: false,
    markers: [null],
    connections: [
      { id: textAt(body, "data", ...below, "connections", 0, "id"), url, ended: [], uncertain: undefined },
    ],
    backups: new Map(),
    isDeletionUncertain: false,
    isUncertain: false,
  };
};
