import { MemoryCollection } from "../../packages/engine/src/store/memory-collection.js";
import type { Row } from "../../packages/engine/src/store/rows.js";

const freeze = (value: unknown): void => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
};

const { insert, update } = MemoryCollection.prototype;

// A handler that changes a row in place changes nothing in Postgres. In memory, it fails with this.
if (insert.name === "insert") {
  Object.assign(MemoryCollection.prototype, {
    insert: function insertFrozen(this: MemoryCollection<Row, never>, row: Row): Row {
      freeze(row);
      return insert.call(this, row);
    },
    update: function updateFrozen(
      this: MemoryCollection<Row, never>,
      id: string,
      changes: Partial<Omit<Row, "id">>,
    ): Row {
      const row = update.call(this, id, changes);
      freeze(row);
      return row;
    },
  });
}
