import { KeyedMutex } from "@mgmt/internal/values/keyed-mutex";
import type { MembershipStatements } from "../policy/cluster.js";

/** The roles of tenants whose privileges the work of this process needs at the moment. */
export class RoleMemberships {
  readonly #statements: MembershipStatements | undefined;
  readonly #runScript: (statements: readonly string[]) => Promise<void>;
  /** How much work needs each role. */
  readonly #useCounts = new Map<string, number>();
  readonly #mutex = new KeyedMutex();

  /** @param statements undefined when the platform has the privileges of all roles. */
  constructor(
    statements: MembershipStatements | undefined,
    runScript: (statements: readonly string[]) => Promise<void>,
  ) {
    this.#statements = statements;
    this.#runScript = runScript;
  }

  /** Runs a callback with the privileges of roles. Of these names, the roles of the installation that exist count. */
  async runWith<T>(roles: readonly string[], callback: () => Promise<T>): Promise<T> {
    const statements = this.#statements;
    if (statements === undefined || roles.length === 0) return callback();
    const names = [...new Set(roles)];
    await this.#mutex.run(names, async () => {
      const newNames = names.filter((name) => !this.#useCounts.has(name));
      if (newNames.length > 0) await this.#runScript([statements.join(newNames)]);
      for (const name of names) this.#useCounts.set(name, (this.#useCounts.get(name) ?? 0) + 1);
    });
    try {
      return await callback();
    } finally {
      await this.#mutex.run(names, () => this.#release(statements, names));
    }
  }

  /** Revokes a membership that another process, an interrupted process, or an older version has left behind. */
  async leave(roles: readonly string[]): Promise<void> {
    const unusedNames = roles.filter((name) => !this.#useCounts.has(name));
    if (this.#statements === undefined || unusedNames.length === 0) return;
    await this.#runScript([this.#statements.leave(unusedNames)]);
  }

  /**
   * Grants the memberships again, which another process that used them too may have revoked. Returns false when this process needs none.
   */
  async renew(): Promise<boolean> {
    const names = [...this.#useCounts.keys()];
    if (this.#statements === undefined || names.length === 0) return false;
    await this.#runScript([this.#statements.join(names)]);
    return true;
  }

  async #release({ leave }: MembershipStatements, names: readonly string[]): Promise<void> {
    const unusedNames = names.filter((name) => this.#useCounts.get(name) === 1);
    for (const name of names) this.#useCounts.set(name, (this.#useCounts.get(name) ?? 0) - 1);
    for (const name of unusedNames) this.#useCounts.delete(name);
    // If this fails, the next work with the role revokes it.
    if (unusedNames.length > 0) await this.#runScript([leave(unusedNames)]).catch(() => undefined);
  }
}
