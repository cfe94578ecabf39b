import { describe, expect, it } from "vitest";
import { parseFirstMessage, replaceDatabase } from "./first-message.js";
import { firstMessage, gssRequest, request, sslRequest } from "../../test/proxy/wire.js";

describe("parseFirstMessage", () => {
  it("reads the user with the database of a StartupMessage, and returns the bytes after it", () => {
    const startup = firstMessage([
      ["user", "role_a"],
      ["database", "postgres"],
    ]);
    const parsed = parseFirstMessage(Buffer.concat([startup, Buffer.from("rest")]));
    expect(parsed?.message).toEqual({
      type: "startup",
      bytes: startup,
      user: "role_a",
      database: "postgres",
    });
    expect(parsed?.bytesAfter.toString()).toBe("rest");
  });

  it("uses the last of several users, as Postgres does", () => {
    const startup = firstMessage([
      ["user", "first"],
      ["user", "last"],
    ]);
    expect(parseFirstMessage(startup)?.message).toMatchObject({ user: "last" });
  });

  it("recognizes encryption and cancel requests", () => {
    const cancel = request(80_877_102, Buffer.alloc(8, 1));
    expect(parseFirstMessage(sslRequest)?.message).toEqual({ type: "ssl" });
    expect(parseFirstMessage(gssRequest)?.message).toEqual({ type: "gss" });
    expect(parseFirstMessage(cancel)?.message).toEqual({ type: "cancel", bytes: cancel });
    // Protocol 3.2 has longer keys.
    expect(parseFirstMessage(request(80_877_102, Buffer.alloc(36)))?.message.type).toBe("cancel");
  });

  it("waits for every byte of a message", () => {
    const startup = firstMessage([["user", "role_a"]]);
    for (let length = 0; length < startup.length; length += 1) {
      expect(parseFirstMessage(startup.subarray(0, length))).toBeUndefined();
    }
  });

  it.each([
    ["a length below the header", Buffer.from([0, 0, 0, 7])],
    ["a length above the limit of Postgres", Buffer.from([0, 0, 0x27, 0x11])],
    ["a huge length", Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ["an SSLRequest with content", request(80_877_103, Buffer.from("x"))],
    ["a short CancelRequest", request(80_877_102, Buffer.alloc(4))],
    ["no parameters and no terminator", request(0x0003_0000)],
    ["a parameter without a value", request(0x0003_0000, Buffer.from("user\0"))],
    ["an unterminated value", request(0x0003_0000, Buffer.from("user\0role_a"))],
    ["no terminator of the list", request(0x0003_0000, Buffer.from("user\0role_a\0"))],
    ["bytes after the terminator", request(0x0003_0000, Buffer.from("user\0role_a\0\0x"))],
  ])("refuses %s as a protocol violation", (_case, bytes) => {
    expect(() => parseFirstMessage(bytes)).toThrow(expect.objectContaining({ code: "08P01" }));
  });

  it("refuses other protocol versions, and a missing or empty user", () => {
    for (const version of [0x0002_0000, 0x0004_0000, 80_877_105]) {
      expect(() => parseFirstMessage(firstMessage([["user", "a"]], version))).toThrow(
        expect.objectContaining({ code: "0A000" }),
      );
    }
    for (const parameters of [[], [["database", "postgres"]], [["user", ""]]] as const) {
      expect(() => parseFirstMessage(firstMessage(parameters))).toThrow(
        expect.objectContaining({ code: "28000" }),
      );
    }
  });
});

describe("withDatabase", () => {
  const parametersOf = (bytes: Buffer): string[] => bytes.toString("latin1", 8).split("\0");

  it("replaces every database and keeps the other bytes in order", () => {
    const startup = firstMessage([
      ["user", "role_a"],
      ["database", "postgres"],
      ["application_name", "café"],
      ["database", "other"],
    ]);
    const rewritten = replaceDatabase(startup, "db_a");
    expect(rewritten.readUInt32BE(0)).toBe(rewritten.length);
    expect(rewritten.readUInt32BE(4)).toBe(0x0003_0000);
    expect(rewritten.includes(Buffer.from("café"))).toBe(true);
    expect(parametersOf(rewritten).filter((_, index) => index % 2 === 0)).toEqual([
      "user",
      "application_name",
      "database",
      "",
    ]);
    expect(parametersOf(rewritten)).toContain("db_a");
    expect(parseFirstMessage(rewritten)?.message).toMatchObject({
      type: "startup",
      user: "role_a",
      database: "db_a",
    });
  });

  it.each([
    [[], undefined],
    [[""], undefined],
    [["one", "other"], "other"],
  ])("reads the last database that the client names: %j", (names, database) => {
    const bytes = firstMessage([["user", "role_a"], ...names.map((name) => ["database", name] as const)]);
    expect(parseFirstMessage(bytes)?.message).toMatchObject({ database });
  });

  it("adds the database when the client names none", () => {
    const rewritten = replaceDatabase(firstMessage([["user", "role_a"]]), "db_a");
    expect(rewritten).toEqual(
      firstMessage([
        ["user", "role_a"],
        ["database", "db_a"],
      ]),
    );
  });
});
