import { onTestFinished } from "vitest";
import { TenantStatement } from "../src/policy/tenant-statement.js";
import { AdminConnection } from "../src/connection/admin-connection.js";
import type { Cluster } from "../../platform/test/cluster.js";

/** Does something before a statement. Can return another statement to run before it, on the same connection. */
type Before = (statement: string) => Promise<string | void> | string | void;

/** Runs statements like the platform, at moments that a test chooses. */
class ObservedAdmin extends AdminConnection {
  before: Before = () => undefined;

  override async query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    await this.before(text);
    return super.query<Row>(text, values);
  }

  override async tryScript(statements: readonly string[]): Promise<void> {
    return super.tryScript(await this.#withOthers(statements));
  }

  override async runScriptIn(database: string, statements: readonly TenantStatement[]): Promise<void> {
    const all = await this.#withOthers(statements.map(({ text }) => text));
    return super.runScriptIn(
      database,
      all.map((text) => new TenantStatement(text)),
    );
  }

  async #withOthers(statements: readonly string[]): Promise<string[]> {
    const all: string[] = [];
    for (const statement of statements) all.push((await this.before(statement)) ?? "", statement);
    return all.filter((statement) => statement !== "");
  }

  override async runLongStatement(statement: string, signal?: AbortSignal): Promise<void> {
    await this.before(statement);
    return super.runLongStatement(statement, signal);
  }
}

/** Opens connections of the platform that are closed after the test. */
export const observeAdmin = (cluster: Cluster, before: Before, policy = cluster.policy): AdminConnection => {
  const admin = new ObservedAdmin(policy);
  admin.before = before;
  onTestFinished(() => admin.close());
  return admin;
};
