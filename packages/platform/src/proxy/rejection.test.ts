import { LoginRejectedError } from "@mgmt/cluster/connection/login-rejected";
import { describe, expect, it } from "vitest";
import { Rejection, parseSqlState, rejections, toRejection } from "./rejection.js";

describe("a refusal", () => {
  it.each([
    [undefined, ""],
    ["Wait.", "HWait.\0"],
  ])("is an ErrorResponse of Postgres, with the hint %s", (hint, hintField) => {
    const bytes = new Rejection("53300", "too many", hint).encode();
    expect(bytes.toString("latin1", 5)).toBe(`SFATAL\0VFATAL\0C53300\0Mtoo many\0${hintField}\0`);
    expect([bytes.toString("latin1", 0, 1), bytes.readUInt32BE(1)]).toEqual(["E", bytes.length - 1]);
    expect(parseSqlState(bytes)).toBe("53300");
  });

  it("has an answer for clients of HTTP, whose length is in bytes", () => {
    const text = rejections.http().encode().toString();
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head.split("\r\n")[0]).toBe("HTTP/1.1 400 Bad Request");
    expect(head).toContain(`content-length: ${String(Buffer.byteLength(body))}`);
    expect(body).toContain("The API has another port.");
  });

  it("is made of the errors that clients may see only", () => {
    const rejection = rejections.stopping();
    expect(toRejection(rejection)).toBe(rejection);
    const login = toRejection(new LoginRejectedError("57P03", "creating", "Wait."));
    expect(login).toBeInstanceOf(Rejection);
    expect(login).toMatchObject({ code: "57P03", message: "creating", hint: "Wait." });
    for (const error of [new Error("password is hunter2"), "text", undefined])
      expect(toRejection(error)).toBeUndefined();
  });

  it("names a database as the client has written it", () => {
    const bytes = Buffer.from("café", "utf8").toString("latin1");
    expect(rejections.noDatabase(bytes)).toMatchObject({
      code: "3D000",
      message: 'database "café" does not exist',
    });
  });

  it.each([
    [{}, "57P03", "the connection was refused by a fault"],
    [{ code: "53300", message: "full" }, "53300", "full"],
  ])("has what a fault asks for: %j", (fault, code, message) => {
    expect(rejections.fault(fault)).toMatchObject({ code, message });
  });
});

describe("the SQLSTATE of a response", () => {
  const complete = new Rejection("57P03", "starting").encode();
  it.each<[string, Buffer, string | undefined]>([
    ["a complete error", complete, "57P03"],
    ["an error with bytes after it", Buffer.concat([complete, Buffer.from("C00000\0")]), "57P03"],
    ["an incomplete error", complete.subarray(0, -1), undefined],
    ["its first bytes", complete.subarray(0, 4), undefined],
    ["nothing", Buffer.alloc(0), undefined],
    ["another message", Buffer.concat([Buffer.from("R"), complete.subarray(1)]), undefined],
    ["an error without a code", Buffer.from([0x45, 0, 0, 0, 5, 0]), undefined],
  ])("is found in %s", (_name, bytes, state) => {
    expect(parseSqlState(bytes)).toBe(state);
  });
});
