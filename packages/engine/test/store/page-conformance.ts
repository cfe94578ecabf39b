import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenStore, type StoreUnderTest, idsOf, sampleRows } from "./store-under-test.js";

/** Tests how an implementation of `Store` pages through rows while others are added and deleted. */
export const describePages = (open: OpenStore): void => {
  describe("pages", () => {
    let store: StoreUnderTest;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const insert = (...ids: string[]) =>
      store.run(({ branches }) => {
        for (const id of ids) branches.insert(sampleRows.branches(id, { gitName: `feature/${id}` }));
      });
    const sequence = (id: string) => store.run(({ branches }) => branches.getSequence(id));
    const page = (limit: number, after?: number, newestFirst = false) =>
      store.run(({ branches }) =>
        idsOf(branches.listPage({ where: { projectId: "p" }, limit, after, newestFirst })),
      );

    it("start at the oldest row, or at the newest", async () => {
      await insert("a", "b", "c");
      expect([await page(2), await page(2, undefined, true)]).toEqual([
        ["a", "b"],
        ["c", "b"],
      ]);
    });

    it("continue after a row, in either direction", async () => {
      await insert("a", "b", "c", "d");
      expect([await page(2, await sequence("b")), await page(2, await sequence("c"), true)]).toEqual([
        ["c", "d"],
        ["b", "a"],
      ]);
      expect([await page(2, await sequence("d")), await page(2, await sequence("a"), true)]).toEqual([
        [],
        [],
      ]);
    });

    it("contain at most `limit` rows, and all rows without a limit", async () => {
      await insert("a", "b", "c");
      expect([await page(3), await page(4), await page(0), await page(Infinity)]).toEqual([
        ["a", "b", "c"],
        ["a", "b", "c"],
        [],
        ["a", "b", "c"],
      ]);
    });

    it("continue after a row that was deleted, in either direction", async () => {
      await insert("a", "b", "c", "d");
      const [b, c] = [await sequence("b"), await sequence("c")];
      await store.run(({ branches }) => {
        branches.delete("b");
        branches.delete("c");
      });
      expect([await page(5, b), await page(5, c, true)]).toEqual([["d"], ["a"]]);
    });

    it("show each row once while others come and go", async () => {
      await insert("a", "b", "c", "d");
      const after = await sequence("b");
      await store.run(({ branches }) => branches.delete("c"));
      await insert("e");
      expect(await page(5, after)).toEqual(["d", "e"]);
    });

    it("place a row that an update adds to the list by its insertion, not by the update", async () => {
      await store.run(({ branches }) =>
        branches.insert(sampleRows.branches("early", { projectId: "other" })),
      );
      await insert("a", "b");
      await store.run(({ branches }) => branches.insert(sampleRows.branches("late", { projectId: "other" })));
      const after = await sequence("a");
      await store.run(({ branches }) => {
        branches.update("early", { projectId: "p" });
        branches.update("late", { projectId: "p" });
      });
      expect([await page(5, after), await page(5)]).toEqual([
        ["b", "late"],
        ["early", "a", "b", "late"],
      ]);
    });

    it("skip rows of other keys, wherever they lie", async () => {
      await store.run(({ branches }) => {
        for (let index = 0; index < 30; index += 1) {
          const projectId = index % 3 === 0 ? "p" : "other";
          branches.insert(sampleRows.branches(`b${String(index)}`, { projectId }));
        }
      });
      expect(await page(3, await sequence("b4"))).toEqual(["b6", "b9", "b12"]);
      expect(await page(3, await sequence("b25"), true)).toEqual(["b24", "b21", "b18"]);
    });

    it("cover a long list exactly once, before and after half of it is deleted", async () => {
      const ids = Array.from({ length: 1_500 }, (_, index) => `b${String(index)}`);
      await insert(...ids);
      const walk = async (newestFirst: boolean): Promise<string[]> => {
        const seen: string[] = [];
        for (let after: number | undefined; ; after = await sequence(seen.at(-1) ?? "")) {
          const next = await page(97, after, newestFirst);
          if (next.length === 0) return seen;
          seen.push(...next);
        }
      };
      expect(await walk(false)).toEqual(ids);
      const [odd, even] = [1, 0].map((rest) => ids.filter((_, index) => index % 2 === rest));
      await store.run(({ branches }) => {
        for (const id of odd ?? []) branches.delete(id);
      });
      expect([await walk(false), await walk(true)]).toEqual([even, even?.toReversed()]);
    });

    describe("of rows that contain a text", () => {
      const containing = (gitName: string | undefined, limit = 10, after?: number) =>
        store.run(({ branches }) =>
          idsOf(branches.listPage({ where: { projectId: "p" }, containing: { gitName }, limit, after })),
        );

      it("contain only those rows, or all rows if the text is undefined or empty", async () => {
        await insert("login", "logout", "signup");
        expect([await containing("log"), await containing("feature/s"), await containing("x")]).toEqual([
          ["login", "logout"],
          ["signup"],
          [],
        ]);
        expect([await containing(undefined), await containing("")]).toEqual(
          Array(2).fill(["login", "logout", "signup"]),
        );
      });

      it("skip rows without the text until they are full", async () => {
        await insert("x1", "y1", "x2", "y2", "x3");
        expect(await containing("x", 2)).toEqual(["x1", "x2"]);
        expect(await containing("x", 2, await sequence("x2"))).toEqual(["x3"]);
      });

      it.each(["%", "_", "\\", "'", ".*", "É", "Log"])("take %j literally", async (text) => {
        await insert("login", `with ${text} inside`);
        expect(await containing(text)).toEqual([`with ${text} inside`]);
      });
    });
  });
};
