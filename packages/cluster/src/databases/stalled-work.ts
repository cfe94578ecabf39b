import { DatabaseUnavailableError } from "@mgmt/engine";
import { findResourceShortage } from "../connection/unavailable.js";

/** Reports when work on databases begins to wait because Postgres lacks a resource, and when no work waits any longer. */
export class StalledWorkReporter {
  readonly #log: (line: string) => void;
  readonly #directory: string | undefined;
  /** Names of the databases whose work waits. */
  readonly #stalledDatabases = new Set<string>();
  /** The shortages that were logged since work began to wait. */
  readonly #loggedDescriptions = new Set<string>();

  /** @param directory a directory on the disk of Postgres, for messages. */
  constructor(log: (line: string) => void, directory: string | undefined) {
    this.#log = log;
    this.#directory = directory;
  }

  /**
   * Runs a callback on the database with this name, which the caller repeats until Postgres can run it. Other work that the caller does not
   * repeat would stay in the report.
   *
   * @throws the error of the callback.
   */
  async runTracked<T>(name: string, callback: () => Promise<T>): Promise<T> {
    try {
      const result = await callback();
      this.#recordUnstalled(name);
      return result;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) this.#recordStalled(name, error);
      else this.#recordUnstalled(name);
      throw error;
    }
  }

  #recordStalled(name: string, error: DatabaseUnavailableError): void {
    const shortage = findResourceShortage(error, this.#directory);
    if (shortage === undefined) return;
    this.#stalledDatabases.add(name);
    if (this.#loggedDescriptions.has(shortage.description)) return;
    this.#loggedDescriptions.add(shortage.description);
    this.#log(
      `Work on the database ${name} waits: ${shortage.description}. ${shortage.hint}, and the work continues`,
    );
  }

  #recordUnstalled(name: string): void {
    if (!this.#stalledDatabases.delete(name) || this.#stalledDatabases.size > 0) return;
    this.#loggedDescriptions.clear();
    this.#log("Work on databases continues: it no longer waits for Postgres");
  }
}
