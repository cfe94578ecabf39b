import { describe, expect, it } from "vitest";
import { readTitlesFromPs, readProcessTitles } from "./process-titles.js";

describe.each([
  ["of this system", readProcessTitles],
  ["that ps prints", readTitlesFromPs],
])("the titles of processes %s", (_, read) => {
  it("include those that can be read, by process id", async () => {
    const titles = await read([process.pid]);
    expect([...titles.keys()]).toEqual([process.pid]);
    expect(titles.get(process.pid)).toContain("node");
  });

  it("do not include a process that does not exist", async () => {
    // Linux gives no process so high an id, and macOS none above 99,998.
    expect(await read([4_194_304])).toEqual(new Map());
  });
});
