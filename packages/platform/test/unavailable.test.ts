import { DatabaseError } from "pg";
import { describe, expect, it } from "vitest";
import { isTemporary } from "../src/postgres/unavailable.js";

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
  ])("includes %s", (_, code) => expect(isTemporary(errorOf(code))).toBe(true));

  it.each([
    ["a database in use", "55006"],
    ["a missing privilege", "42501"],
    ["a duplicate", "42P04"],
    ["an error of the disk", "58030"],
    ["no code", undefined],
  ])("excludes %s", (_, code) => expect(isTemporary(errorOf(code))).toBe(false));
});
