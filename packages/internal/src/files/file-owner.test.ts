import type { Stats } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { assertTrustedFile, assertTrustedLink, isForeignFile, isWritableByOthers } from "./file-owner.js";

const own = 1000;
const other = 1001;

/** The fields that the rules read of a file of this user. */
const statsOf = (fields: Partial<Stats> = {}, kind: "file" | "link" | "pipe" = "file"): Stats =>
  ({
    uid: own,
    gid: own,
    mode: 0o600,
    isFile: () => kind === "file",
    isSymbolicLink: () => kind === "link",
    ...fields,
    // No rule reads the others.
  }) as Stats;

const setAccount = (uid: number | undefined): void => {
  Object.defineProperty(process, "geteuid", {
    value: uid === undefined ? undefined : () => uid,
    configurable: true,
  });
};
const descriptor = Object.getOwnPropertyDescriptor(process, "geteuid");
beforeEach(() => setAccount(own));
afterEach(() => {
  if (descriptor) Object.defineProperty(process, "geteuid", descriptor);
  else Reflect.deleteProperty(process, "geteuid");
  vi.restoreAllMocks();
});

describe("isForeignFile", () => {
  it.each([
    [false, "this user", own],
    [false, "root", 0],
    [true, "another account", other],
  ])("is %s for a file of %s", (isOther, _, uid) => {
    expect(isForeignFile(statsOf({ uid }))).toBe(isOther);
  });
});

describe("isWritableByOthers", () => {
  it.each([
    [false, "only its owner", { mode: 0o600 }],
    [false, "its owner, and all can read", { mode: 0o644 }],
    [false, "the user's own group", { mode: 0o660 }],
    [false, "the group of root", { mode: 0o660, gid: 0 }],
    [true, "another group", { mode: 0o620, gid: other }],
    [false, "its owner, and another group can read", { mode: 0o640, gid: other }],
    [true, "all", { mode: 0o602 }],
  ])("is %s for a file that can be written by %s", (isWritable, _, fields) => {
    expect(isWritableByOthers(statsOf(fields))).toBe(isWritable);
  });
});

it("trusts all owners and modes on Windows, which has none", () => {
  setAccount(undefined);
  const stats = statsOf({ uid: other, mode: 0o666 });
  expect([isForeignFile(stats), isWritableByOthers(stats)]).toEqual([false, false]);
});

describe("assertTrustedFile", () => {
  it.each([
    ["it is not a regular file", statsOf({}, "pipe"), "not_regular_file"],
    ["it belongs to another account", statsOf({ uid: other }), "other_account"],
    ["other accounts can write to it", statsOf({ mode: 0o666 }), "other_account"],
  ])("throws: %s", (message, stats, reason) => {
    expect(() => assertTrustedFile(stats)).toThrow(expect.objectContaining({ message, reason }));
  });

  it("accepts a file of this user", () => {
    expect(() => assertTrustedFile(statsOf())).not.toThrow();
  });
});

describe("assertTrustedLink", () => {
  it("throws for a symbolic link of another account only", () => {
    const message = "it is a symbolic link of another account";
    expect(() => assertTrustedLink(statsOf({ uid: other }, "link"))).toThrow(
      expect.objectContaining({ message }),
    );
    for (const stats of [statsOf({}, "link"), statsOf({ uid: 0 }, "link"), statsOf({ uid: other })]) {
      expect(() => assertTrustedLink(stats)).not.toThrow();
    }
  });
});
