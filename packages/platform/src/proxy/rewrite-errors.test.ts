import { describe, expect, it } from "vitest";
import { encodeError } from "./error-response.js";
import { addHints, replaceTerminationError } from "./rewrite-errors.js";
import { Rejection } from "./rejection.js";
import { errorFields } from "../../test/proxy/wire.js";

const message = (type: string, content = ""): Buffer => {
  const bytes = Buffer.from(`${type}....${content}`, "latin1");
  bytes.writeUInt32BE(bytes.length - 1, 1);
  return bytes;
};

const missing = [
  "SERROR",
  "VERROR",
  "C0A000",
  'Mextension "vector" is not available',
  "DCould not open",
  "Hinstalled",
];
const error = encodeError(missing);

const untrusted = encodeError([
  "SERROR",
  "VERROR",
  "C42501",
  'Mpermission denied to create extension "vector"',
  "HMust be superuser to create this extension.",
]);

describe("an error of Postgres", () => {
  it.each([
    ["an extension that is missing", error, "postgresql-18-pgvector"],
    ["an extension that is not trusted", untrusted, "trusted = true"],
  ])("gets a hint that says what to do: %s", (_case, bytes, hint) => {
    const { H, ...others } = errorFields(addHints(bytes)) ?? {};
    expect(H).toContain(hint);
    const { H: _former, ...former } = errorFields(bytes) ?? {};
    expect(others).toEqual(former);
  });

  it("gets it after and before other messages", () => {
    const before = [message("1"), message("2"), message("n"), message("C", "CREATE TABLE\0")];
    const after = [message("Z", "I")];
    const explained = addHints(Buffer.concat([...before, error, ...after]));
    expect(explained).toEqual(Buffer.concat([...before, addHints(error), ...after]));
  });

  it.each([
    ["another error", encodeError(["SERROR", "C42P01", 'Mrelation "vector" does not exist'])],
    ["the message with another code", encodeError(missing.with(2, "CP0001"))],
    ["another extension", encodeError(missing.with(3, 'Mextension "vectors" is not available'))],
    ["a notice", message("N", missing.join("\0"))],
    ["a row with the text", message("D", `\0\x01\0\0\0\x24${missing.join(" ")}`)],
    ["an error that is not complete", error.subarray(0, -3)],
    ["bytes that are no messages", Buffer.concat([Buffer.from("E\xff\xff\xff\xff", "latin1"), error])],
    ["the end of another message", Buffer.concat([Buffer.from("EE"), error])],
    ["a message with a wrong length", Buffer.concat([Buffer.from("T\0\0\0\0", "latin1"), error.subarray(1)])],
    ["many bytes", Buffer.concat([error, Buffer.alloc(10_000)])],
    ["nothing", Buffer.alloc(0)],
  ])("stays as it is: %s", (_case, bytes) => {
    expect(addHints(bytes)).toEqual(bytes);
  });
});

describe("the end of a session", () => {
  const reason = new Rejection("53400", "too many locks", "Use less.");
  const ended = encodeError(["SFATAL", "VFATAL", "C57P01", "Mterminating connection", "Fpostgres.c"]);
  const row = message("D", "\0\x01\0\0\0\x01x");

  it.each([
    ["alone", ended, []],
    ["after the rest of a result", Buffer.concat([row, row.subarray(2), ended]), [row, row.subarray(2)]],
  ])("gets the reason: %s", (_case, bytes, before) => {
    expect(replaceTerminationError(bytes, reason)).toEqual(Buffer.concat([...before, reason.encode()]));
  });

  it("gets the reason if the database accepts no connections", () => {
    const closed = encodeError([
      "SFATAL",
      "VFATAL",
      "C55000",
      "Mdatabase is not currently accepting connections",
    ]);
    expect(replaceTerminationError(closed, reason)).toEqual(reason.encode());
  });

  it("gets the reason, and keeps its code, when it is a login that its database does not accept", () => {
    const refused = encodeError(["SFATAL", "VFATAL", "C53300", "Mtoo many connections"]);
    expect(errorFields(replaceTerminationError(refused, reason))).toEqual({
      ...errorFields(reason.encode()),
      C: "53300",
    });
  });

  it.each([
    ["another code", encodeError(["SFATAL", "VFATAL", "C57P02", "Mcrash"])],
    ["an error that ends no session", encodeError(["SERROR", "VERROR", "C57P01", "Mx"])],
    ["more bytes after it", Buffer.concat([ended, row])],
    ["an error that is not complete", ended.subarray(0, -1)],
    ["the fields without a message", ended.subarray(3)],
    ["a row with the text", message("D", "\0\x01\0\0\0\x20SFATAL\0VFATAL\0C57P01\0Mx\0\0")],
    ["nothing", Buffer.alloc(0)],
  ])("stays as it is: %s", (_case, bytes) => {
    expect(replaceTerminationError(bytes, reason)).toEqual(bytes);
  });
});
