import { DatabaseUnavailableError } from "@mgmt/engine";
import { lackOf } from "../connection/unavailable.js";

/** Reports when work on databases begins to wait because Postgres lacks a resource, and when no work waits any longer. */
export class WaitingWork {
  readonly #report: (line: string) => void;
  readonly #directory: string | undefined;
  /** Names of the databases whose work waits. */
  readonly #names = new Set<string>();
  /** The reports since work began to wait. */
  readonly #reported = new Set<string>();

  /** @param directory on the disk of Postgres, for messages. */
  constructor(report: (line: string) => void, directory: string | undefined) {
    this.#report = report;
    this.#directory = directory;
  }

  /**
   * Does work on the database with this name that is repeated until Postgres can do it. Other work that the caller does not
   * repeat would stay in the report.
   *
   * @throws the error of the work.
   */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.#end(name);
      return result;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) this.#wait(name, error);
      else this.#end(name);
      throw error;
    }
  }

  #wait(name: string, error: DatabaseUnavailableError): void {
    const lack = lackOf(error, this.#directory);
    if (lack === undefined) return;
    this.#names.add(name);
    if (this.#reported.has(lack.what)) return;
    this.#reported.add(lack.what);
    this.#report(`Work on the database ${name} waits: ${lack.what}. ${lack.remedy}, and the work continues`);
  }

  #end(name: string): void {
    if (!this.#names.delete(name) || this.#names.size > 0) return;
    this.#reported.clear();
    this.#report("Work on databases continues: it no longer waits for Postgres");
  }
}
