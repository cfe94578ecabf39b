import { afterEach, describe, expect, it, vi } from "vitest";
import { Workspaces } from "./workspaces.js";

afterEach(() => vi.restoreAllMocks());

describe("the workspaces of databases", () => {
  it("are those of the records, also for backups and unfinished copies", async () => {
    const workspaces = new Workspaces(() => Promise.resolve(new Map([["db_one", "wksp_a"]])));
    await workspaces.load(["db_one"]);
    expect(["db_one", "db_one.bkp_first", "making.db_one"].map((name) => workspaces.get(name))).toEqual([
      "wksp_a",
      "wksp_a",
      "wksp_a",
    ]);
  });

  it("are those of the databases alone when the records do not have them", async () => {
    const workspaces = new Workspaces(() => Promise.resolve(new Map([["db_one", "wksp_a"]])));
    await workspaces.load(["db_two"]);
    expect(workspaces.get("db_two")).toBe("db_two");
    expect(new Workspaces(undefined).get("db_two.bkp_first")).toBe("db_two");
  });

  it("are read once for the same databases, and again after a minute", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    const read = vi.fn(() => Promise.resolve(new Map([["db_one", "wksp_a"]])));
    const workspaces = new Workspaces(read);
    await workspaces.load(["db_one", "db_unknown"]);
    await workspaces.load(["db_one", "db_unknown"]);
    expect(read).toHaveBeenCalledTimes(1);
    await workspaces.load(["db_two"]);
    expect(read).toHaveBeenCalledTimes(2);
    read.mockResolvedValue(new Map([["db_one", "wksp_b"]]));
    now.mockReturnValue(61_000);
    await workspaces.load(["db_one"]);
    expect(workspaces.get("db_one")).toBe("wksp_b");
  });

  it("stay as they were while the records cannot be read", async () => {
    const read = vi.fn(() => Promise.resolve(new Map([["db_one", "wksp_a"]])));
    const workspaces = new Workspaces(read);
    await workspaces.load(["db_one"]);
    read.mockRejectedValue(new Error("out of shared memory"));
    await workspaces.load(["db_two"]);
    expect(workspaces.get("db_one")).toBe("wksp_a");
  });
});
