import { createDatabaseTest } from "@mgmt/platform/vitest";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { addNote, options } from "./note.mjs";

const test = createDatabaseTest(options);

describe("notes", () => {
  for (let count = 0; count < 10; count += 1) {
    test.concurrent(`adds note ${count}`, ({ database }) => addNote(database));
    test(`adds note ${count} alone`, ({ database }) => addNote(database));
  }

  let tries = 0;
  test("passes in the second try", { retry: 1 }, async ({ database }) => {
    await addNote(database);
    tries += 1;
    if (tries === 1) throw new Error("The first try fails");
  });
});

describe("a clock that stands still", () => {
  beforeAll(() => vi.useFakeTimers());
  afterAll(() => vi.useRealTimers());
  test("adds a note", ({ database }) => addNote(database));
});
