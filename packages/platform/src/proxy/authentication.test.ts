import { describe, expect, it } from "vitest";
import { AuthenticationObserver } from "./authentication.js";
import { encodeError } from "./error-response.js";

/** A message of Postgres. */
const message = (type: string, content: Buffer): Buffer => {
  const bytes = Buffer.concat([Buffer.from(`${type}....`), content]);
  bytes.writeUInt32BE(bytes.length - 1, 1);
  return bytes;
};
const authentication = (code: number, more = ""): Buffer =>
  message("R", Buffer.concat([Buffer.from([0, 0, 0, code]), Buffer.from(more)]));

const accepted = authentication(0);
const challenge = authentication(10, "SCRAM-SHA-256\0\0");
const notice = message("N", Buffer.from("SNOTICE\0\0"));
const version = message("v", Buffer.from([0, 3, 0, 0, 0, 0, 0, 0]));
const error = encodeError(["SFATAL", "C28P01", "Mno"]);

/** Returns for which of the parts the client counts as accepted. */
const observe = (...parts: readonly Buffer[]): boolean[] => {
  const observer = new AuthenticationObserver();
  return parts.map((bytes) => observer.observeAcceptance(bytes));
};

describe("AuthenticationObserver", () => {
  it.each([
    ["the acceptance alone", [accepted], [true]],
    ["the acceptance after other messages", [Buffer.concat([version, notice, challenge, accepted])], [true]],
    ["the acceptance in a later part", [challenge, notice, accepted], [false, false, true]],
    [
      "the acceptance before the rest of the session",
      [Buffer.concat([accepted, message("Z", Buffer.from("I"))])],
      [true],
    ],
    ["the acceptance only once", [accepted, accepted], [true, false]],
    ["no challenge", [challenge, challenge], [false, false]],
    ["no error, whatever follows", [error, accepted], [false, false]],
    ["no query's result, whatever follows", [message("D", Buffer.alloc(8)), accepted], [false, false]],
    [
      "no acceptance inside another message",
      [message("N", Buffer.concat([Buffer.alloc(8), accepted]))],
      [false],
    ],
  ])("finds %s", (_, parts, result) => {
    expect(observe(...parts)).toEqual(result);
  });

  it("finds the acceptance in bytes that arrive one by one", () => {
    const bytes = Buffer.concat([challenge, accepted]);
    const observation = observe(...[...bytes].map((byte) => Buffer.from([byte])));
    expect(observation.lastIndexOf(true)).toBe(bytes.length - 1);
    expect(observation.filter(Boolean)).toHaveLength(1);
  });
});
