import type { LoadedRow } from "@mgmt/engine/internal";
import type { Columns } from "./batch.js";
import type { RowCodec } from "./row-codec.js";

/** Bounds the memory that the rows take. */
const maxRows = 2_000;

/** Keeps the rows that were loaded last. Rows are immutable, so a row whose version is the same need not be parsed again. */
export class RowCache {
  readonly #codec: RowCodec;
  #recentRows = new Map<string, LoadedRow>();
  #olderRows: ReadonlyMap<string, LoadedRow> = new Map();

  constructor(codec: RowCodec) {
    this.#codec = codec;
  }

  /** Forgets all rows. Another instance of Postgres may give other rows the same version. */
  clear(): void {
    this.#recentRows = new Map();
    this.#olderRows = new Map();
  }

  /** Returns the row in the columns `seq`, `xmin`, and `doc`. */
  getRow(table: string, [sequence, version, document]: Columns): LoadedRow {
    const key = `${table} ${String(sequence)} ${String(version)}`;
    const recentRow = this.#recentRows.get(key);
    if (recentRow) return recentRow;
    const loadedRow = this.#olderRows.get(key) ?? {
      sequence: Number(sequence),
      version: String(version),
      row: this.#codec.decode(table, String(document)),
    };
    if (this.#recentRows.size >= maxRows) {
      this.#olderRows = this.#recentRows;
      this.#recentRows = new Map();
    }
    this.#recentRows.set(key, loadedRow);
    return loadedRow;
  }
}
