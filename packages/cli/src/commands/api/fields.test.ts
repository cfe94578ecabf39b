import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { buildObject, parseField, readFieldValue } from "./fields.js";
import { InputSources } from "../../input/sources.js";
import { temporaryFolder } from "../../../test/folders.js";

const folder = temporaryFolder();
const valueOf = (text: string, flag: "-f" | "-F" = "-F"): Promise<unknown> =>
  readFieldValue(
    parseField(`a=${text}`, flag),
    new InputSources({ stdin: Readable.from(["typed"]) }, folder),
  );
const objectOf = (...fields: string[]): unknown =>
  buildObject(fields.map((text) => [parseField(text, "-f"), parseField(text, "-f").text]));

describe("a field", () => {
  it.each(["name", "=x", "", "a[=x", "a]=x", "a[]b=x", "a[b]c=x", "__proto__[x]=1", "a[__proto__]=1"])(
    "is refused without a key and a value, and not repeated: %j",
    (text) => {
      expect(() => parseField(text, "-f")).toThrow(/^-f needs a key and a value$/);
    },
  );

  it.each([
    ["7", 7],
    ["-1.5e3", -1500],
    ["007", "007"],
    ["true", true],
    ["null", null],
    ["True", "True"],
    ["", ""],
    ["@file.txt", "from a file\n"],
    ["@-", "typed"],
  ])("has a typed value with -F, and a string with -f: %j", async (text, value) => {
    writeFileSync(join(folder, "file.txt"), "from a file\n");
    expect([await valueOf(text), await valueOf(text, "-f")]).toEqual([value, text]);
  });

  it.each([
    ["123456789012345678901", "too large for a number"],
    ["1e400", "too large for a number"],
    ["@/none/at/all", "cannot read"],
  ])("is refused with the value -F a=%s", async (text, problem) => {
    await expect(valueOf(text)).rejects.toThrow(problem);
  });
});

describe("the object of fields", () => {
  it("has members and lists", () => {
    expect(objectOf("a=1", "b[c][d]=2", "b[e]=3", "tags[]=x", "tags[]=y=z")).toEqual({
      a: "1",
      b: { c: { d: "2" }, e: "3" },
      tags: ["x", "y=z"],
    });
  });

  it.each([
    ["a=1", "a=2"],
    ["a=1", "a[b]=2"],
    ["a[b]=1", "a=2"],
    ["a[]=1", "a[b]=2"],
    ["a[]=1", "a=2"],
    ["a=1", "a[]=2"],
  ])("is refused if fields contradict each other: %s and %s", (first, second) => {
    expect(() => objectOf(first, second)).toThrow("contradicts an earlier field");
  });
});
