import { DatabaseError } from "pg";
import { describe, expect, it } from "vitest";
import { isTemporaryError, findResourceShortage } from "./unavailable.js";

const errorOf = (code: string | undefined): DatabaseError =>
  Object.assign(new DatabaseError("refused", 0, "error"), { code });

describe("isTemporary", () => {
  it.each([
    ["a lost connection", "08006"],
    ["a full disk", "53100"],
    ["a lack of descriptors", "53000"],
    ["too many connections", "53300"],
    ["the end of the server", "57P01"],
    ["a crash", "57P02"],
    ["a start", "57P03"],
    ["a lock that was not had in time", "55P03"],
  ])("includes %s", (_, code) => expect(isTemporaryError(errorOf(code))).toBe(true));

  it.each([
    ["a database in use", "55006"],
    ["a missing privilege", "42501"],
    ["a duplicate", "42P04"],
    ["an error of the disk", "58030"],
    ["no code", undefined],
  ])("excludes %s", (_, code) => expect(isTemporaryError(errorOf(code))).toBe(false));
});

describe("lackOf", () => {
  it.each([
    ["a full disk", errorOf("53100"), "the disk of /data is full"],
    [
      "a system error of a full disk",
      Object.assign(new Error("full"), { code: "ENOSPC" }),
      "the disk of /data",
    ],
    ["a lack of memory", errorOf("53200"), "no memory"],
    [
      "a lack of locks",
      Object.assign(errorOf("53200"), { file: "lock.c" }),
      "all locks of Postgres are taken",
    ],
    ["too many connections", errorOf("53300"), "no connections"],
    ["another lack", errorOf("53400"), "Postgres error 53400"],
  ])("finds %s, also as the cause of another error", (_, error, what) => {
    for (const each of [error, new Error("outer", { cause: new Error("inner", { cause: error }) })])
      expect(findResourceShortage(each, "/data")?.description).toContain(what);
  });

  it("names Postgres when its directory is not known", () => {
    expect(findResourceShortage(errorOf("53100"))).toEqual({
      description: "the disk of Postgres is full",
      hint: "Free at least 100 MB there",
    });
  });

  it.each([
    ["a lost connection", errorOf("08006")],
    ["an error without a code", errorOf(undefined)],
    ["an error of the system", Object.assign(new Error("refused"), { code: "ECONNREFUSED" })],
    ["a value that is not an error", "53100"],
  ])("returns undefined for %s", (_, error) => expect(findResourceShortage(error, "/data")).toBeUndefined());
});
