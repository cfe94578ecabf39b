import type { OperationId } from "../../src/generated/operations.js";
import type { Store } from "../../src/store/store.js";
import type { Asked } from "./api.js";

export interface RandomRequest {
  operationId: OperationId;
  asked: Asked;
}

/** A small random generator (mulberry32) with a seed, so that a failing sequence can be repeated. */
export class Dice {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  oneOf<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

/** Generates requests of all kinds about existing resources, and sometimes about deleted or foreign ones. */
export class RandomRequests {
  readonly #everSeen = new Map<string, string[]>();
  #store: Store | undefined;

  constructor(private readonly dice: Dice) {}

  /** @param store the rows that exist. */
  next(store: Store): RandomRequest {
    this.#store = store;
    const make = this.dice.oneOf(this.#makers);
    if (!make) throw new Error("There is nothing to ask");
    const { operationId, asked } = make();
    return { operationId, asked: { ...asked, as: this.dice.chance(8) ? "stranger" : "user" } };
  }

  /** Returns the id of an existing row, and sometimes of a deleted one. */
  #id(
    kind: "projects" | "branches" | "databases" | "connections" | "backups" | "apps" | "deployments",
  ): string {
    const live = this.#rows[kind].list({}).map(({ id }) => id);
    const seen = this.#everSeen.get(kind) ?? [];
    this.#everSeen.set(kind, [...new Set([...seen, ...live])]);
    return (this.dice.chance(5) ? this.dice.oneOf(seen) : this.dice.oneOf(live)) ?? `gone${"0".repeat(20)}`;
  }

  get #rows(): Store {
    if (this.#store === undefined) throw new Error("No request was generated");
    return this.#store;
  }

  #maybe<T>(percent: number, value: () => T): T | undefined {
    return this.dice.chance(percent) ? value() : undefined;
  }

  #name = (): string => this.dice.oneOf(["web", "api", "jobs"]) ?? "web";
  #gitName = (): string => this.dice.oneOf(["main", "dev", "next"]) ?? "dev";
  #logicalId = (): string => this.dice.oneOf(["one", "two"]) ?? "one";

  #place(): Record<string, unknown> {
    return {
      branchId: this.#maybe(25, () => this.#id("branches")),
      branchGitName: this.#maybe(20, this.#gitName),
      logicalId: this.#maybe(20, this.#logicalId),
    };
  }

  #source(): unknown {
    const databaseId = this.#id("databases");
    const backupId = this.#id("backups");
    const owner = this.#rows.backups.get(backupId)?.databaseId ?? databaseId;
    return this.dice.chance(50)
      ? { type: "database", databaseId }
      : { type: "backup", databaseId: owner, backupId };
  }

  readonly #makers: readonly (() => RandomRequest)[] = [
    () => ({
      operationId: "projects.create",
      asked: { body: { logicalId: this.#maybe(30, this.#logicalId), createDatabase: this.dice.chance(80) } },
    }),
    () => ({ operationId: "projects.delete", asked: { path: { id: this.#id("projects") } } }),
    () => ({
      operationId: "projects.update",
      asked: { path: { id: this.#id("projects") }, body: { name: "x" } },
    }),
    () => ({
      operationId: "databases.create",
      asked: {
        body: {
          projectId: this.#id("projects"),
          isDefault: this.dice.chance(20),
          source: this.#maybe(40, () => this.#source()),
          ...this.#place(),
        },
      },
    }),
    () => ({
      operationId: "databases.update",
      asked: { path: { databaseId: this.#id("databases") }, body: this.#place() },
    }),
    () => ({ operationId: "databases.delete", asked: { path: { databaseId: this.#id("databases") } } }),
    () => {
      const backupId = this.#id("backups");
      const databaseId = this.#rows.backups.get(backupId)?.databaseId ?? this.#id("databases");
      return {
        operationId: "databases.restore",
        asked: {
          path: { targetDatabaseId: this.#id("databases") },
          body: { source: { type: "backup", databaseId, backupId } },
        },
      };
    },
    () => ({
      operationId: "databases.connections.create",
      asked: { path: { databaseId: this.#id("databases") }, body: { name: "app" } },
    }),
    () => ({
      operationId: "connections.create",
      asked: { body: { databaseId: this.#id("databases"), name: "app" } },
    }),
    () => ({ operationId: "connections.rotate", asked: { path: { id: this.#id("connections") } } }),
    () => ({ operationId: "connections.delete", asked: { path: { id: this.#id("connections") } } }),
    () => ({
      operationId: "projects.branches.create",
      asked: {
        path: { projectId: this.#id("projects") },
        body: { gitName: this.#gitName(), isDefault: this.dice.chance(30) },
      },
    }),
    () => ({
      operationId: "branches.update",
      asked: { path: { branchId: this.#id("branches") }, body: { isDefault: this.dice.chance(80) } },
    }),
    () => ({ operationId: "branches.delete", asked: { path: { branchId: this.#id("branches") } } }),
    () => ({
      operationId: "apps.create",
      asked: { body: { projectId: this.#id("projects"), displayName: this.#name(), ...this.#place() } },
    }),
    () => ({
      operationId: "services.update",
      asked: {
        path: { serviceId: this.#id("apps") },
        body: { displayName: this.#maybe(50, this.#name), ...this.#place() },
      },
    }),
    () => ({ operationId: "apps.delete", asked: { path: { appId: this.#id("apps") } } }),
    () => ({ operationId: "services.deployments.create", asked: { path: { serviceId: this.#id("apps") } } }),
    () => ({ operationId: "deployments.start", asked: { path: { deploymentId: this.#id("deployments") } } }),
    () => ({ operationId: "deployments.stop", asked: { path: { deploymentId: this.#id("deployments") } } }),
    () => ({ operationId: "deployments.delete", asked: { path: { deploymentId: this.#id("deployments") } } }),
    () => {
      const deploymentId = this.#id("deployments");
      const serviceId = this.#rows.deployments.get(deploymentId)?.appId ?? this.#id("apps");
      return { operationId: "services.promote", asked: { path: { serviceId }, body: { deploymentId } } };
    },
    () => ({ operationId: "databases.list", asked: {} }),
    () => ({ operationId: "services.list", asked: {} }),
    () => ({ operationId: "connections.list", asked: {} }),
  ];
}
