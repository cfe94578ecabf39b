import { describe, expect, it } from "vitest";
import { Refused, openReplay } from "../../test/store/open-replay.js";
import { LoadedRows, type Preload, mapBatched } from "./preload.js";
import { sampleRows } from "../../test/store/store-under-test.js";

const row = (id: string): Preload => ({ read: "row", table: "projects", id });

describe("a transaction", () => {
  it("runs again from its start whenever rows that it needs are loaded", async () => {
    const { run, storage } = openReplay("p1", "p2");
    const seen: string[] = [];
    const result = await run(({ projects }, { earlierRunCount }) => {
      seen.push(`start ${String(earlierRunCount)}`);
      return [projects.get("p1")?.id, projects.get("p2")?.id, projects.get("none")];
    });
    expect(result).toEqual(["p1", "p2", undefined]);
    expect(seen).toEqual(["start 0", "start 1", "start 2", "start 3"]);
    expect(storage.trips.slice(1)).toEqual([
      ["load"],
      ["load", row("p1")],
      ["load", row("p2")],
      ["load", row("none")],
      ["commit"],
    ]);
  });

  it("runs once where everything that it needs was declared", async () => {
    const { run, storage } = openReplay("p1", "p2");
    const preloads = [row("p1"), row("p2")];
    await run(({ projects }) => projects.update("p1", { name: projects.get("p2")?.name ?? "" }), {
      preloads,
    });
    expect(storage.trips).toEqual([["begin write w"], ["load", ...preloads], ["commit changes"]]);
  });

  it("loads at once what the items of a list miss", async () => {
    const { run, trips } = openReplay("p1", "p2", "p3");
    const ids = await run(({ projects }) => mapBatched(["p1", "p2", "p3"], (id) => projects.get(id)?.id));
    expect(ids).toEqual(["p1", "p2", "p3"]);
    expect(trips()).toEqual(["begin write w", "load", "load", "commit"]);
  });

  it("runs again although its code catches every error", async () => {
    const { run } = openReplay("p1");
    const found = await run(({ projects }) => {
      try {
        return projects.get("p1")?.id;
      } catch {
        return "caught";
      }
    });
    expect(found).toBe("p1");
  });

  it("changes nothing before its last run", async () => {
    const { run, names } = openReplay("p1", "p2");
    await run(({ projects }) => {
      projects.insert(sampleRows.projects("p3", { name: "new" }));
      for (const id of ["p1", "p2"]) projects.update(id, { name: `${projects.get(id)?.name ?? ""}!` });
    });
    expect(names()).toEqual(["project!", "project!", "new"]);
  });

  it("commits what it changed before a refusal, and throws the refusal", async () => {
    const { run, names, trips } = openReplay("p1");
    const refused = new Refused("no");
    const transaction = run(({ projects }) => {
      projects.update("p1", { name: "refused" });
      throw refused;
    });
    await expect(transaction).rejects.toBe(refused);
    expect([names(), trips().at(-1)]).toEqual([["refused"], "commit changes"]);
  });

  it("rolls back what it changed before a defect, and throws the defect", async () => {
    const { run, names, trips } = openReplay("p1");
    const defect = new TypeError("broken");
    const transaction = run(({ projects }) => {
      projects.update("p1", { name: "broken" });
      throw defect;
    });
    await expect(transaction).rejects.toBe(defect);
    expect([names(), trips().at(-1)]).toEqual([["project"], "rollback"]);
  });

  it("runs again in a writing transaction where a reading one turns out to change rows", async () => {
    const { run, names, trips } = openReplay("p1");
    await run(({ projects }) => projects.update("p1", { name: "new" }), {
      transactionOptions: { mode: "read", locks: ["w"] },
    });
    expect(names()).toEqual(["new"]);
    expect(trips()).toEqual([
      ...["begin read w", "load", "load", "rollback"].map((trip) => trip.replace("read w", "read")),
      ...["begin write w", "load", "load", "commit changes"],
    ]);
  });

  it("runs again on new rows where another transaction has changed one of its rows", async () => {
    const { run, storage, names } = openReplay("p1");
    storage.beforeCommit = () => storage.store.projects.update("p1", { name: "theirs" });
    await run(({ projects }) =>
      projects.update("p1", { name: `${projects.get("p1")?.name ?? ""} and ours` }),
    );
    expect(names()).toEqual(["theirs and ours"]);
  });

  it("refuses a row whose id another transaction has inserted meanwhile", async () => {
    const { run, storage, names } = openReplay();
    storage.beforeCommit = () => storage.store.projects.insert(sampleRows.projects("p1", { name: "theirs" }));
    const transaction = run(({ projects }) => projects.insert(sampleRows.projects("p1", { name: "ours" })));
    await expect(transaction).rejects.toThrow("A row with the id p1 exists");
    expect(names()).toEqual(["theirs"]);
  });

  it("ends with the error of a transaction that fails, and rolls back", async () => {
    const { run, storage, trips } = openReplay("p1");
    storage.beforeCommit = () => {
      throw new Error("connection lost");
    };
    await expect(run(({ projects }) => projects.update("p1", { name: "lost" }))).rejects.toThrow(
      "connection lost",
    );
    expect(trips().at(-1)).toBe("rollback");
  });

  it.each([
    { meanwhile: "nothing has", theirName: undefined, expected: "project and ours", loads: 0 },
    { meanwhile: "another transaction has", theirName: "theirs", expected: "theirs and ours", loads: 1 },
  ])(
    "loads rows that an earlier one has loaded only if they have changed meanwhile: $meanwhile",
    async ({ theirName, expected, loads }) => {
      const { run, storage, names, trips } = openReplay("p1");
      const loadedRows = new LoadedRows();
      await run(({ projects }) => projects.get("p1"), {
        ...{ mode: "read", preloads: [row("p1")], loadedRows },
      });
      if (theirName !== undefined) storage.store.projects.update("p1", { name: theirName });
      const earlierTrips = trips().length;
      await run(
        ({ projects }) => projects.update("p1", { name: `${projects.get("p1")?.name ?? ""} and ours` }),
        { preloads: [row("p1")], loadedRows },
      );
      expect(names()).toEqual([expected]);
      const laterTrips = trips().slice(earlierTrips);
      expect(laterTrips.filter((trip) => trip === "load")).toHaveLength(loads);
      expect(laterTrips.at(-1)).toBe("commit changes");
    },
  );

  it("gives up when every run conflicts with another transaction", async () => {
    const { run, storage } = openReplay("p1");
    let count = 0;
    const disturb = (): void => {
      count += 1;
      storage.store.projects.update("p1", { name: `theirs ${String(count)}` });
      storage.beforeCommit = disturb;
    };
    storage.beforeCommit = disturb;
    await expect(run(({ projects }) => projects.update("p1", { name: "ours" }))).rejects.toThrow(
      "has changed",
    );
    expect(count).toBe(21);
  });
});
