import { describe, expect, it } from "vitest";
import { SealedCursorCodec, createCursorKey } from "./cursors.js";

const sequences = [0, 1, 255, 2 ** 32, Number.MAX_SAFE_INTEGER];

describe("cursors", () => {
  const cursors = new SealedCursorCodec(createCursorKey("cursors"));

  it.each(sequences)("read the number %i that they were written for", (sequence) => {
    const cursor = cursors.write(sequence, "projects größe");
    expect(cursors.read(cursor, "projects größe")).toBe(sequence);
    expect(cursors.write(sequence, "projects größe")).toBe(cursor);
  });

  it("do not show the number", () => {
    const written = sequences.map((sequence) => cursors.write(sequence, ""));
    expect(new Set(written.map((cursor) => cursor.slice(-8))).size).toBe(sequences.length);
    expect(cursors.write(1, "one").slice(-8)).not.toBe(cursors.write(1, "other").slice(-8));
  });

  it("are valid only for their scope and their key", () => {
    const cursor = cursors.write(7, "projects");
    expect(cursors.read(cursor, "databases")).toBeUndefined();
    expect(cursors.read(cursor, "project")).toBeUndefined();
    expect(new SealedCursorCodec(createCursorKey(null)).read(cursor, "projects")).toBeUndefined();
  });

  it("are not valid when any of their characters has changed", () => {
    const cursor = cursors.write(7, "projects");
    for (const index of cursor.split("").keys()) {
      const other = cursor[index] === "A" ? "B" : "A";
      const changed = cursor.slice(0, index) + other + cursor.slice(index + 1);
      expect(cursors.read(changed, "projects"), changed).toBeUndefined();
    }
  });

  it.each(["", "A", "not a cursor", `${"A".repeat(31)}+`, "A".repeat(32), "A".repeat(33), "é".repeat(32)])(
    "refuse %j",
    (text) => {
      expect(cursors.read(text, "projects")).toBeUndefined();
    },
  );
});
