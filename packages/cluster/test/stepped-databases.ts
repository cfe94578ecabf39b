import type { Sessions } from "@mgmt/engine/internal";
import { onTestFinished } from "vitest";
import { AdminConnection } from "../src/connection/admin-connection.js";
import { DatabaseCopier } from "../src/databases/database-copier.js";
import { RoleRemover } from "../src/databases/role-remover.js";
import { Logins } from "../src/logins/logins.js";
import { PostgresDatabases } from "../src/postgres-databases.js";
import { PreparedDatabases } from "../src/databases/prepared-databases.js";
import type { Cluster } from "../../platform/test/cluster.js";

export type Step = "createEmpty" | "copyPrepared" | "copy" | "copySettings" | "transferOwnership" | "drop";

/** Called with a step and the name of the database that it makes, changes or drops. */
type Hook = (step: Step, name: string) => Promise<void> | void;

/** Real copies whose steps a test can observe, hold or fail. */
export class SteppedCopies extends DatabaseCopier {
  before: Hook = () => undefined;
  after: Hook = () => undefined;

  override createEmpty(unfinished: string, name: string): Promise<boolean> {
    return this.#run("createEmpty", name, () => super.createEmpty(unfinished, name));
  }

  override copyPrepared(template: string, unfinished: string, name: string): Promise<void> {
    return this.#run("copyPrepared", name, () => super.copyPrepared(template, unfinished, name));
  }

  override copy(from: string, to: string, signal?: AbortSignal): Promise<void> {
    return this.#run("copy", to, () => super.copy(from, to, signal));
  }

  override copySettings(from: string, to: string, which: string): Promise<void> {
    return this.#run("copySettings", to, () => super.copySettings(from, to, which));
  }

  override transferOwnership(name: string, source: string, owner: string): Promise<void> {
    return this.#run("transferOwnership", name, () => super.transferOwnership(name, source, owner));
  }

  override drop(name: string): Promise<void> {
    return this.#run("drop", name, () => super.drop(name));
  }

  async #run<T>(step: Step, name: string, work: () => Promise<T>): Promise<T> {
    await this.before(step, name);
    const result = await work();
    await this.after(step, name);
    return result;
  }
}

/** A point at which work waits until a test lets it continue. */
export class HoldPoint {
  readonly isReached: Promise<void>;
  readonly #mayContinue: Promise<void>;
  #reach = (): void => undefined;
  /** Lets the work continue that waits now or will. */
  release = (): void => undefined;

  constructor() {
    this.isReached = new Promise((resolve) => (this.#reach = resolve));
    this.#mayContinue = new Promise((resolve) => (this.release = resolve));
  }

  /** Called by the work. */
  wait(): Promise<void> {
    this.#reach();
    return this.#mayContinue;
  }
}

/** Resolves when everything that need not wait has happened. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The superuser of a cluster. A test can observe, hold or fail the work that needs a database without sessions. */
export class SteppedAdmin extends AdminConnection {
  beforeUnused: (database: string) => Promise<void> | void = () => undefined;

  override async runWhenUnused(database: string, work: () => Promise<void>): Promise<void> {
    await this.beforeUnused(database);
    await super.runWhenUnused(database, work);
  }
}

/** Opens connections of the superuser, and copies that use them, until the end of the test. */
export const openCopies = (cluster: Cluster): { admin: SteppedAdmin; copies: SteppedCopies } => {
  const admin = new SteppedAdmin(cluster.policy);
  onTestFinished(() => admin.close());
  return { admin, copies: new SteppedCopies(admin) };
};

/** Opens the databases of a cluster as another process would, until the end of the test. */
export const openSteppedDatabases = async (
  cluster: Cluster,
  sessions?: Pick<Sessions, "runExclusively">,
  log: { onLog?: (line: string) => void; directory?: string } = {},
): Promise<{
  admin: SteppedAdmin;
  copies: SteppedCopies;
  roleRemover: RoleRemover;
  databases: PostgresDatabases;
}> => {
  const { admin, copies } = await openCopies(cluster);
  const roleRemover = new RoleRemover(admin);
  const logins = new Logins(admin, roleRemover);
  const preparedDatabases = new PreparedDatabases(copies, 0, [], () => undefined);
  const databases = new PostgresDatabases({
    admin,
    copier: copies,
    roleRemover,
    logins,
    preparedDatabases,
    sessions,
    ...log,
  });
  onTestFinished(async () => {
    await databases.close();
    await preparedDatabases.close();
  });
  return { admin, copies, roleRemover, databases };
};
