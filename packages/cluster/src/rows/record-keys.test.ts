import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  InvalidRecordKeysError,
  RecordKeys,
  UnknownRecordKeyError,
  createRecordKeyList,
} from "./record-keys.js";

const [first, second] = [createRecordKeyList(), createRecordKeyList()];
const idOf = (list: string): string => new RecordKeys(list).current.id;

describe("a list of keys", () => {
  it("encrypts with its first key, and has all", () => {
    const keys = new RecordKeys(`${first}\n  ${second}\r\n`);
    expect(keys.current.id).toBe(idOf(first));
    expect(keys.get(idOf(second)).secret.equals(new RecordKeys(second).current.secret)).toBe(true);
  });

  it("accepts base64 with and without padding, for the same key", () => {
    const bytes = randomBytes(32);
    const texts = [bytes.toString("base64"), bytes.toString("base64url")];
    expect(new Set(texts.map(idOf)).size).toBe(1);
  });

  it("says nothing about a key in its id", () => {
    expect(first).not.toContain(idOf(first));
    expect(idOf(first)).toMatch(/^[\w-]{11}$/);
    expect(idOf(first)).not.toBe(idOf(second));
  });

  it.each([
    ["nothing", "\n \n", "it is empty"],
    ["a key that is too short", randomBytes(31).toString("base64url"), "line 1 is not a key of 32 bytes"],
    ["a key that is too long", `${first}${randomBytes(33).toString("base64url")}`, "line 2 is not a key"],
    ["another text", "{}", "line 1 is not a key"],
  ])("refuses %s, and does not repeat it", (_, list, message) => {
    const refused = (): RecordKeys => new RecordKeys(list);
    expect(refused).toThrow(InvalidRecordKeysError);
    expect(refused).toThrow(message);
    if (list.trim() !== "") expect(refused).not.toThrow(list.trim());
  });

  it("names every key that is required and unknown", () => {
    const keys = new RecordKeys(first);
    keys.requireAll([idOf(first)]);
    expect(() => keys.requireAll([idOf(second), idOf(first), "other"])).toThrow(
      `the keys ${idOf(second)}, other, which`,
    );
  });
});

describe("keys that change", () => {
  it("are read again when work needs one that is not known, and the work is repeated", async () => {
    let list = first;
    const keys = new RecordKeys(list, () => Promise.resolve(list));
    const work = (): string => keys.get(idOf(second)).id;
    await expect(keys.withNewKeys(work)).rejects.toThrow(UnknownRecordKeyError);
    list = second + first;
    expect(await keys.withNewKeys(work)).toBe(idOf(second));
    expect(keys.current.id).toBe(idOf(second));
  });

  it("encrypt with the first key of the new list, and decrypt with those that it lacks", async () => {
    let list = first;
    const keys = new RecordKeys(list, () => Promise.resolve(list));
    list = second;
    await keys.reload();
    expect(keys.ids).toEqual([idOf(second), idOf(first)]);
    expect(keys.get(idOf(first)).id).toBe(idOf(first));
    list = first + second;
    await keys.reload();
    expect(keys.ids).toEqual([idOf(first), idOf(second)]);
  });

  it("stay as they are while the list cannot be used", async () => {
    let list = first;
    const keys = new RecordKeys(list, () => Promise.resolve(list));
    list = "";
    await expect(keys.reload()).rejects.toThrow(InvalidRecordKeysError);
    expect(keys.current.id).toBe(idOf(first));
  });

  it("are not read again after another error", async () => {
    const keys = new RecordKeys(first, () => Promise.reject(new Error("read")));
    const failure = new Error("other");
    await expect(keys.withNewKeys(() => Promise.reject(failure))).rejects.toBe(failure);
  });
});
