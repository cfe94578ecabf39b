import type { Row } from "@mgmt/engine";
import type { Loaded } from "@mgmt/engine/internal";
import type { Columns } from "./batch.js";
import { parseJson } from "./json-text.js";

/** Bounds the memory that the rows take. */
const maxRows = 2_000;

/** Keeps the rows that were loaded last. Rows are immutable, so a row whose version is the same need not be parsed again. */
export class RowCache {
  #recent = new Map<string, Loaded>();
  #older: ReadonlyMap<string, Loaded> = new Map();

  /** Returns the row in the columns `seq`, `xmin`, and `doc`. */
  load(table: string, [sequence, version, document]: Columns): Loaded {
    const key = `${table} ${String(sequence)} ${String(version)}`;
    const recent = this.#recent.get(key);
    if (recent) return recent;
    const loaded = this.#older.get(key) ?? {
      sequence: Number(sequence),
      version: String(version),
      // Only rows are stored.
      row: parseJson(String(document)) as Row,
    };
    if (this.#recent.size >= maxRows) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, loaded);
    return loaded;
  }
}
