import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LogLines } from "./log-lines.js";

describe("the lines of a log", () => {
  it("are written together in their order at the end of a turn of the event loop", async () => {
    const writes: string[] = [];
    const logLines = new LogLines((lines) => writes.push(lines));
    for (const line of ["a\n", "b\n"]) logLines.add(line);
    expect(writes).toEqual([]);
    await nextTurn();
    logLines.add("c\n");
    await nextTurn();
    await nextTurn();
    expect(writes).toEqual(["a\nb\n", "c\n"]);
  });

  it("are written once when the process ends before", async () => {
    const writes: string[] = [];
    const logLines = new LogLines((lines) => writes.push(lines));
    logLines.add("a\n");
    logLines.flush();
    logLines.flush();
    await nextTurn();
    expect(writes).toEqual(["a\n"]);
  });
});
