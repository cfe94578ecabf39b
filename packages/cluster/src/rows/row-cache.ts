import type { LoadedRow } from "@mgmt/engine/internal";
import type { RowValues } from "./batch.js";
import { RecentMap } from "@mgmt/internal/values/recent-map";
import type { RowCodec } from "./row-codec.js";

/** Limits the memory of the cache. */
const maxRows = 2_000;

/** Caches the rows that were loaded last. Rows are immutable, so a row whose version is the same need not be parsed again. */
export class RowCache {
  readonly #codec: RowCodec;
  readonly #rows = new RecentMap<string, LoadedRow>(maxRows);

  constructor(codec: RowCodec) {
    this.#codec = codec;
  }

  /** Removes all rows. Another instance of Postgres may give other rows the same version. */
  clear(): void {
    this.#rows.clear();
  }

  /** Returns the row in the columns `seq`, `xmin`, and `doc`. */
  getRow(table: string, [sequence, version, document]: RowValues): LoadedRow {
    const key = `${table} ${String(sequence)} ${String(version)}`;
    const cachedRow = this.#rows.get(key);
    if (cachedRow) return cachedRow;
    const loadedRow = {
      sequence: Number(sequence),
      version: String(version),
      row: this.#codec.decode(table, String(document)),
    };
    this.#rows.set(key, loadedRow);
    return loadedRow;
  }
}
