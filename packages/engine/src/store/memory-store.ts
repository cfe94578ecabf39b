import { type CollectionName, type ExpiringName, type Rows, type Where, keys } from "./keys.js";
import { type CollectionState, MemoryCollection, MemoryExpiringCollection } from "./memory-collection.js";
import type { Store } from "./store.js";

export type StoreState = { [Name in CollectionName]: CollectionState<Rows[Name]> };

/** Keeps all rows in the process's memory. */
export class MemoryStore implements Store {
  #dirty = false;

  readonly users = this.#collection("users");
  readonly workspaces = this.#collection("workspaces");
  readonly serviceTokens = this.#collection("serviceTokens");
  readonly clients = this.#collection("clients");
  readonly integrations = this.#collection("integrations");
  readonly authorizationCodes = this.#expiringCollection("authorizationCodes");
  readonly grants = this.#expiringCollection("grants");
  readonly refreshTokens = this.#expiringCollection("refreshTokens");
  readonly revokedTokens = this.#expiringCollection("revokedTokens");
  readonly projects = this.#collection("projects");
  readonly branches = this.#collection("branches");
  readonly databases = this.#collection("databases");
  readonly connections = this.#collection("connections");
  readonly backups = this.#collection("backups");
  readonly apps = this.#collection("apps");
  readonly deployments = this.#collection("deployments");
  readonly approvals = this.#expiringCollection("approvals");

  /** Returns whether anything has changed since the last call. */
  takeChanged(): boolean {
    const changed = this.#dirty;
    this.#dirty = false;
    return changed;
  }

  /** Shares its rows with the store; rows are immutable. */
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

  #collection<Name extends CollectionName>(name: Name): MemoryCollection<Rows[Name], Where<Name>> {
    return new MemoryCollection(keys[name], () => this.#changed());
  }

  #expiringCollection<Name extends ExpiringName>(
    name: Name,
  ): MemoryExpiringCollection<Rows[Name], Where<Name>> {
    return new MemoryExpiringCollection(keys[name], () => this.#changed());
  }

  #changed(): void {
    this.#dirty = true;
  }
}
