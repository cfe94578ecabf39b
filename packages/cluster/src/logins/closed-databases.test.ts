import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { LoginRejectedError } from "../connection/login-rejected.js";
import { ClosedDatabases } from "./closed-databases.js";
import { HoldPoint } from "../../test/stepped-databases.js";

let closed: ClosedDatabases;
beforeEach(() => {
  closed = new ClosedDatabases();
});

const whenOpen = (
  database: string,
  { timeoutMs = 60_000, signal = new AbortController().signal } = {},
): string | Promise<string> => closed.resolveWhenOpen(database, { timeoutMs, signal });

/** Closes a database until the returned point lets it continue. */
const close = (database: string): { point: HoldPoint; done: Promise<void> } => {
  const point = new HoldPoint();
  return { point, done: closed.closeWhile(database, () => point.wait()) };
};

describe("a client of a closed database", () => {
  it("waits until all work on it is done", async () => {
    const [first, second] = [close("db_shop"), close("db_shop")];
    let isLetIn = false;
    const waiting = Promise.resolve(whenOpen("db_shop")).then((name) => {
      isLetIn = true;
      return name;
    });
    first.point.release();
    await first.done;
    await nextTurn();
    expect(isLetIn).toBe(false);
    second.point.release();
    await second.done;
    expect(await waiting).toBe("db_shop");
    expect(whenOpen("db_shop")).toBe("db_shop");
  });

  it("is let in when the work fails", async () => {
    const { point, done } = close("db_shop");
    const waiting = whenOpen("db_shop");
    const failing = closed.closeWhile("db_shop", () => Promise.reject(new Error("refused")));
    await expect(failing).rejects.toThrow("refused");
    point.release();
    await done;
    expect(await waiting).toBe("db_shop");
  });

  it("waits again when the next work begins at once", async () => {
    const first = close("db_shop");
    const waiting = whenOpen("db_shop");
    first.point.release();
    const second = first.done.then(() => closed.closeWhile("db_shop", () => Promise.resolve()));
    expect(await waiting).toBe("db_shop");
    await second;
  });

  it("is refused when it takes too long, and when it leaves", async () => {
    const { point, done } = close("db_shop");
    await expect(whenOpen("db_shop", { timeoutMs: 1 })).rejects.toMatchObject({
      code: "57P03",
      message: 'the database "db_shop" is being copied or restored',
      hint: expect.stringContaining("Try again"),
    });
    const left = new Error("The client has closed the connection");
    await expect(whenOpen("db_shop", { signal: AbortSignal.abort(left) })).rejects.toBe(left);
    point.release();
    await done;
  });

  it("is refused when 100 others have come to wait, so that clients without a password cannot keep others out", async () => {
    const { point, done } = close("db_shop");
    const flood = Array.from({ length: 100 }, () => whenOpen("db_shop"));
    const outcomes = Promise.allSettled(flood);
    const own = [whenOpen("db_shop"), whenOpen("db_shop")];
    point.release();
    await done;
    expect(await Promise.all(own)).toEqual(["db_shop", "db_shop"]);
    const refused = (await outcomes).flatMap((outcome, index) =>
      outcome.status === "rejected" ? [{ index, code: (outcome.reason as LoginRejectedError).code }] : [],
    );
    expect(refused).toEqual([
      { index: 0, code: "53300" },
      { index: 1, code: "53300" },
    ]);
  });
});

it("lets the clients of other databases in", async () => {
  const { point, done } = close("db_shop");
  for (const name of ["db_blog", "", "__proto__"]) expect(whenOpen(name)).toBe(name);
  point.release();
  await done;
});
