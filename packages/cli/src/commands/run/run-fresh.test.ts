import { beforeEach, describe, expect, it } from "vitest";
import { type DatabasePlace, useDatabasePlace } from "../../../test/commands/db/database-place.js";

const current = useDatabasePlace();
let place: DatabasePlace;
beforeEach(() => {
  place = current();
});

describe("mgmt run --fresh", () => {
  it.each([
    ["--setup true -- true", "--setup and --setup-file fill the database of --fresh"],
    ["--setup-file a.sql -- true", "--setup and --setup-file fill the database of --fresh"],
    ["--fresh --pooled -- true", "--fresh and --pooled cannot be used together"],
    ["--fresh --database-id db_1 -- true", "--fresh and --database-id cannot be used together"],
    ["--fresh --project-id proj_1 -- true", "--fresh and --project-id cannot be used together"],
    ["--fresh --setup-file - -- true", "--setup-file must be a file, not -"],
    ["--fresh --name 1A -- true", "1A"],
  ])("refuses %s before it starts anything", async (line, message) => {
    const { status, stderr } = await place.run(`run ${line}`);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(place.programs.calls).toEqual([]);
  });
});
