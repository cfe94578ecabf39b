import { DatabaseUnavailableError } from "@mgmt/engine";
import { beforeEach, describe, expect, it } from "vitest";
import { PendingLogins } from "./pending-logins.js";

let pending: PendingLogins;
beforeEach(() => {
  pending = new PendingLogins();
});

const wait = (
  user: string,
  { timeoutMs = 60_000, signal = new AbortController().signal } = {},
): Promise<string> | undefined => pending.waitForDatabase(user, { timeoutMs, signal });

const done = (): Promise<void> => Promise.resolve();

describe("a login whose database is being created", () => {
  it("waits until the database is created, with all logins of the database", async () => {
    pending.add("db_shop", [{ user: "role_a" }, { user: "role_b" }]);
    pending.add("db_shop", [{ user: "role_c" }]);
    const waiting = Promise.all(["role_a", "role_a", "role_b", "role_c"].map((user) => wait(user)));
    await pending.runCreation("db_shop", undefined, done);
    expect(await waiting).toEqual(Array(4).fill("db_shop"));
    expect(wait("role_a")).toBeUndefined();
  });

  it("does not wait for another database", async () => {
    pending.add("db_shop", [{ user: "role_a" }]);
    pending.add("db_blog", [{ user: "role_b" }]);
    const waiting = wait("role_a");
    await pending.runCreation("db_blog", undefined, done);
    expect(wait("role_b")).toBeUndefined();
    await pending.runCreation("db_shop", undefined, done);
    expect(await waiting).toBe("db_shop");
  });

  it("is refused when the creation fails", async () => {
    pending.add("db_shop", [{ user: "role_a" }]);
    const waiting = wait("role_a");
    const refused = expect(waiting).rejects.toMatchObject({
      code: "3D000",
      message: 'the database "db_shop" was not created',
      hint: expect.stringContaining("log of the platform"),
    });
    const failure = new Error("The disk is full");
    await expect(pending.runCreation("db_shop", undefined, () => Promise.reject(failure))).rejects.toBe(
      failure,
    );
    await refused;
    expect(wait("role_a")).toBeUndefined();
  });

  it("waits on while Postgres cannot be reached, and while a deletion cancels the creation", async () => {
    pending.add("db_shop", [{ user: "role_a" }]);
    const waiting = wait("role_a");
    const unavailable = new DatabaseUnavailableError("Postgres cannot be reached");
    const first = pending.runCreation("db_shop", undefined, () => Promise.reject(unavailable));
    await expect(first).rejects.toBe(unavailable);
    const canceled = new Error("canceled");
    const second = pending.runCreation("db_shop", AbortSignal.abort(), () => Promise.reject(canceled));
    await expect(second).rejects.toBe(canceled);
    await pending.runCreation("db_shop", undefined, done);
    expect(await waiting).toBe("db_shop");
  });

  it("is refused when the creation takes too long, and may try again", async () => {
    pending.add("db_shop", [{ user: "role_a" }]);
    await expect(wait("role_a", { timeoutMs: 1 })).rejects.toMatchObject({
      code: "57P03",
      message: 'the database "db_shop" is still being created',
      hint: expect.stringContaining('status is "ready"'),
    });
    const again = wait("role_a");
    await pending.runCreation("db_shop", undefined, done);
    expect(await again).toBe("db_shop");
  });

  it("is refused when 100 others of its database have come to wait, unless one of them leaves", async () => {
    pending.add("db_shop", [{ user: "role_a" }, { user: "role_b" }]);
    const leaves = new AbortController();
    const reason = new Error("The client has closed the connection");
    const oldest = wait("role_a");
    const waiting = Array.from({ length: 98 }, () => wait("role_a"));
    const left = expect(wait("role_b", { signal: leaves.signal })).rejects.toBe(reason);
    leaves.abort(reason);
    await left;
    waiting.push(wait("role_b"));
    const refused = expect(oldest).rejects.toMatchObject({
      code: "53300",
      hint: expect.stringContaining("100 connections"),
    });
    waiting.push(wait("role_b"));
    await refused;
    await pending.runCreation("db_shop", undefined, done);
    expect(await Promise.all(waiting)).toEqual(Array(100).fill("db_shop"));
  });
});

describe("a login whose database is not being created", () => {
  it("does not wait", async () => {
    pending.add("db_shop", [{ user: "role_a" }]);
    for (const user of ["role_unknown", "db_shop", "", "error", "created", "__proto__"])
      expect(wait(user)).toBeUndefined();
    pending.rejectClients("db_shop");
    pending.rejectClients("db_unknown");
    expect(wait("role_a")).toBeUndefined();
  });
});

describe("more than 10,000 databases", () => {
  it("make the clients of the oldest give up", async () => {
    pending.add("db_first", [{ user: "role_first" }]);
    const refused = expect(wait("role_first")).rejects.toMatchObject({ code: "3D000" });
    for (let number = 1; number <= 10_000; number += 1) {
      const id = String(number);
      pending.add(`db_${id}`, [{ user: `role_${id}` }]);
    }
    await refused;
    expect(wait("role_first")).toBeUndefined();
    const second = wait("role_1");
    await pending.runCreation("db_1", undefined, done);
    expect(await second).toBe("db_1");
  });
});
