import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { replaceAtomically } from "@mgmt/internal/files/replace-atomically";
import { describeCause } from "../errors/cli-error.js";
import { unwritableJournalError } from "../errors/mcp-errors.js";
import { isObject } from "../json/json-path.js";

/** The recorded state of a request that must not be sent twice. */
export interface JournalEntry {
  /** The approval that the service wanted for it. */
  readonly approvalId?: string;
  /** When it was last sent, in ISO 8601. Absent if the service has rejected it. */
  readonly sentAt?: string;
  /** When the service had carried it out, in ISO 8601. */
  readonly doneAt?: string;
}

/** How long a call is remembered: the longest time that a sponsor can approve an operation for. */
const retentionMs = 24 * 60 * 60_000;

const fieldNames = ["approvalId", "sentAt", "doneAt"] as const;

/**
 * Stores the results of calls, in a file for each, so that the same call after the end of this process does not repeat what cannot be
 * undone. The files have no arguments and no secrets.
 */
export class CallJournal {
  /** @param folder of the files. It is created when the first one is written. */
  constructor(
    private readonly folder: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** Returns the entry of a call; undefined if there is none, or if it is older than a day. */
  async read(key: string): Promise<JournalEntry | undefined> {
    try {
      const path = this.#buildPath(key);
      if (this.#isOld((await stat(path)).mtimeMs)) return undefined;
      const value: unknown = JSON.parse(await readFile(path, "utf8"));
      if (!isObject(value)) return undefined;
      return Object.fromEntries(
        fieldNames.flatMap((name) => (typeof value[name] === "string" ? [[name, value[name]]] : [])),
      );
    } catch {
      // A file that does not exist or cannot be read counts as no record. The service requires its approval in any case.
      return undefined;
    }
  }

  /** Stores the entry of a call. Throws `mcp:journal_unwritable`. */
  async write(key: string, entry: JournalEntry): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const path = this.#buildPath(key);
      await replaceAtomically(path, `${path}.${randomUUID()}.part`, (file) =>
        file.writeFile(JSON.stringify(entry)),
      );
    } catch (error) {
      throw unwritableJournalError(this.folder, describeCause(error));
    }
  }

  /** Removes entries that are older than a day. */
  async removeOld(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names) {
      const path = join(this.folder, name);
      const stats = await stat(path).catch(() => undefined);
      if (stats && this.#isOld(stats.mtimeMs)) await rm(path, { force: true }).catch(() => undefined);
    }
  }

  #buildPath(key: string): string {
    return join(this.folder, `${createHash("sha256").update(key).digest("hex")}.json`);
  }

  #isOld(time: number): boolean {
    return this.now() - time > retentionMs;
  }
}
