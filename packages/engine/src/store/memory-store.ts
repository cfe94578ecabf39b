import type * as rows from "./rows.js";
import type { Collection, Store } from "./store.js";

/** The rows of one collection with their sequence numbers, oldest first, and the next number. */
export interface CollectionState<T extends rows.Row> {
  next: number;
  rows: [sequence: number, row: T][];
}

interface Entry<T> {
  readonly sequence: number;
  row: T;
}

export class MemoryCollection<T extends rows.Row> implements Collection<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #changed: () => void;
  #next = 1;

  /** `changed` is called after every change. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): T | undefined {
    return this.#entries.get(id)?.row;
  }

  insert(row: T): T {
    if (this.#entries.has(row.id)) throw new Error(`The row ${row.id} exists already`);
    this.#entries.set(row.id, { sequence: this.#next, row });
    this.#next += 1;
    this.#changed();
    return row;
  }

  update(id: string, changes: Partial<Omit<T, "id">>): T {
    const entry = this.#entry(id);
    // A new object each time: rows that were read before stay as they were, and snapshots may share them.
    entry.row = { ...entry.row, ...changes };
    this.#changed();
    return entry.row;
  }

  delete(id: string): void {
    if (this.#entries.delete(id)) this.#changed();
  }

  filter(matches: (row: T) => boolean): T[] {
    const found: T[] = [];
    for (const { row } of this.#entries.values()) if (matches(row)) found.push(row);
    return found;
  }

  find(matches: (row: T) => boolean): T | undefined {
    for (const { row } of this.#entries.values()) if (matches(row)) return row;
    return undefined;
  }

  after(
    sequence: number | undefined,
    limit: number,
    matches: (row: T) => boolean,
    newestFirst: boolean,
  ): T[] {
    const entries = newestFirst ? [...this.#entries.values()].reverse() : this.#entries.values();
    const found: T[] = [];
    for (const entry of entries) {
      if (found.length >= limit) break;
      if (sequence !== undefined && (newestFirst ? entry.sequence >= sequence : entry.sequence <= sequence))
        continue;
      if (matches(entry.row)) found.push(entry.row);
    }
    return found;
  }

  sequence(id: string): number {
    return this.#entry(id).sequence;
  }

  get state(): CollectionState<T> {
    return {
      next: this.#next,
      rows: [...this.#entries.values()].map(({ sequence, row }) => [sequence, row]),
    };
  }

  /** Fills a new collection. */
  fill(state: CollectionState<T>): void {
    for (const [sequence, row] of state.rows) this.#entries.set(row.id, { sequence, row });
    this.#next = state.next;
  }

  #entry(id: string): Entry<T> {
    const entry = this.#entries.get(id);
    if (!entry) throw new Error(`There is no row ${id}`);
    return entry;
  }
}

type RowOf<Name extends keyof Store> = Store[Name] extends Collection<infer T> ? T : never;

export type StoreState = { [Name in keyof Store]: CollectionState<RowOf<Name>> };

/** Keeps everything in the process's memory. */
export class MemoryStore implements Store {
  #dirty = false;
  readonly #changed = (): void => {
    this.#dirty = true;
  };

  readonly users = new MemoryCollection<rows.UserRow>(this.#changed);
  readonly workspaces = new MemoryCollection<rows.WorkspaceRow>(this.#changed);
  readonly serviceTokens = new MemoryCollection<rows.ServiceTokenRow>(this.#changed);
  readonly clients = new MemoryCollection<rows.ClientRow>(this.#changed);
  readonly integrations = new MemoryCollection<rows.IntegrationRow>(this.#changed);
  readonly authorizationCodes = new MemoryCollection<rows.AuthorizationCodeRow>(this.#changed);
  readonly grants = new MemoryCollection<rows.GrantRow>(this.#changed);
  readonly refreshTokens = new MemoryCollection<rows.RefreshTokenRow>(this.#changed);
  readonly revokedTokens = new MemoryCollection<rows.RevokedTokenRow>(this.#changed);
  readonly projects = new MemoryCollection<rows.ProjectRow>(this.#changed);
  readonly branches = new MemoryCollection<rows.BranchRow>(this.#changed);
  readonly databases = new MemoryCollection<rows.DatabaseRow>(this.#changed);
  readonly connections = new MemoryCollection<rows.ConnectionRow>(this.#changed);
  readonly backups = new MemoryCollection<rows.BackupRow>(this.#changed);
  readonly apps = new MemoryCollection<rows.AppRow>(this.#changed);
  readonly deployments = new MemoryCollection<rows.DeploymentRow>(this.#changed);
  readonly approvals = new MemoryCollection<rows.ApprovalRow>(this.#changed);

  /** Whether anything has changed since this was asked last. */
  takeChanged(): boolean {
    const changed = this.#dirty;
    this.#dirty = false;
    return changed;
  }

  /** Shares its rows with the store; rows are never changed in place. */
  get state(): StoreState {
    return {
      users: this.users.state,
      workspaces: this.workspaces.state,
      serviceTokens: this.serviceTokens.state,
      clients: this.clients.state,
      integrations: this.integrations.state,
      authorizationCodes: this.authorizationCodes.state,
      grants: this.grants.state,
      refreshTokens: this.refreshTokens.state,
      revokedTokens: this.revokedTokens.state,
      projects: this.projects.state,
      branches: this.branches.state,
      databases: this.databases.state,
      connections: this.connections.state,
      backups: this.backups.state,
      apps: this.apps.state,
      deployments: this.deployments.state,
      approvals: this.approvals.state,
    };
  }

  /** Fills a new store. */
  fill(state: StoreState): void {
    this.users.fill(state.users);
    this.workspaces.fill(state.workspaces);
    this.serviceTokens.fill(state.serviceTokens);
    this.clients.fill(state.clients);
    this.integrations.fill(state.integrations);
    this.authorizationCodes.fill(state.authorizationCodes);
    this.grants.fill(state.grants);
    this.refreshTokens.fill(state.refreshTokens);
    this.revokedTokens.fill(state.revokedTokens);
    this.projects.fill(state.projects);
    this.branches.fill(state.branches);
    this.databases.fill(state.databases);
    this.connections.fill(state.connections);
    this.backups.fill(state.backups);
    this.apps.fill(state.apps);
    this.deployments.fill(state.deployments);
    this.approvals.fill(state.approvals);
  }
}
