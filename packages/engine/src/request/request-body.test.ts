import { describe, expect, it } from "vitest";
import { RequestError, operations } from "@mgmt/engine";
import { absentBody, parseRequestBody } from "./request-body.js";

const operation = operations["projects.create"];
const limits = { body: 20, appBody: 10, upload: 0 };

/** Returns the parsed body, or the code of the refusal. */
const read = (
  body: string | Uint8Array | undefined,
  contentType = "application/json",
  of = operation,
  encoding?: string,
) => {
  const headers = { "content-type": contentType, "content-encoding": encoding };
  try {
    return parseRequestBody(of, { method: "POST", path: "/", headers, body }, limits);
  } catch (error) {
    if (error instanceof RequestError) return error.code;
    throw error;
  }
};
const bytes = (text: string) => new TextEncoder().encode(text);

describe("the body of a request", () => {
  it.each(["text", "bytes"])("may have as many bytes as the limit, as %s", (form) => {
    const given = (text: string) => (form === "text" ? text : bytes(text));
    const full = `"${"ö".repeat(9)}"`;
    expect(read(given(full))).toBe("ö".repeat(9));
    expect(read(given(`${full} `))).toBe("request:too_large");
    expect(read(given('"12345678"'), undefined, operations["apps.create"])).toBe("12345678");
    expect(read(given('"123456789"'), undefined, operations["apps.create"])).toBe("request:too_large");
  });

  it.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json; version=1; charset=utf-8",
    "application/json; version=1",
  ])("is JSON if its type is %s", (type) => {
    expect(read("{}", type)).toEqual({});
  });

  it.each([
    "",
    "text/plain",
    "text/plain; application/json",
    "application/json; charset=utf-16",
    "application/json; charset=utf-80",
    "application/json; charset=x-utf-8",
    "application/json5",
  ])("is refused if its type is %j", (type) => {
    expect(read("{}", type)).toBe("request:unsupported_media_type");
  });

  it.each<[string, string | Uint8Array]>([
    ["not JSON", "{"],
    ["not UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
    ["only a space", " "],
  ])("is malformed when it is %s", (_name, body) => {
    expect(read(body)).toBe("request:malformed");
  });

  it.each([undefined, "", "identity", " Identity "])("is read if its encoding is %j", (encoding) => {
    expect(read("{}", undefined, operation, encoding)).toEqual({});
  });

  it.each(["gzip", "br", "identity, gzip", "none"])("is refused if its encoding is %j", (encoding) => {
    const gzip = new Uint8Array([0x1f, 0x8b, 0x08]);
    expect(read(gzip, undefined, operation, encoding)).toBe("request:unsupported_media_type");
    expect(read("{}", undefined, operation, encoding)).toBe("request:unsupported_media_type");
  });

  it("may be absent or empty, of any type and encoding", () => {
    for (const body of [undefined, "", bytes("")]) {
      expect(read(body, "text/plain", operation, "gzip")).toBe(absentBody);
    }
  });

  it("is ignored where the operation has none", () => {
    expect(read("{".repeat(100), "text/plain", operations["projects.get"])).toBe(absentBody);
  });

  it("may be nested 64 levels deep", () => {
    const nested = (levels: number) => {
      const text = "[".repeat(levels) + "]".repeat(levels);
      const headers = { "content-type": "application/json" };
      const request = { method: "POST", path: "/", headers, body: text };
      return parseRequestBody(operation, request, { ...limits, body: 1_000 });
    };
    expect(nested(64)).toBeInstanceOf(Array);
    expect(() => nested(65)).toThrow(RequestError);
  });
});
