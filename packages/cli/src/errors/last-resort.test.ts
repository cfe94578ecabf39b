import { describe, expect, it } from "vitest";
import { getFirstLine, renderLastResort } from "./last-resort.js";

const error = new Error("Cannot find module\n    at load (/home/a/secret.js:1:1)");

describe("an error that cannot be reported in the usual way", () => {
  it.each([
    ["-o json", true],
    ["-o=json", true],
    ["-ojson projects", true],
    ["projects --output ndjson", true],
    ["--output=json", true],
    ["projects --json list", true],
    ["", false],
    ["-o yaml", false],
    ["--output jsonl", false],
    ["--no-json", false],
    ["--jsonx", false],
  ])("is printed for the arguments %j as JSON: %s", (args, isJson) => {
    const text = renderLastResort(error, args.split(" "));
    expect(text.startsWith("{")).toBe(isJson);
    expect(text).toContain("Cannot find module");
    expect(text).toContain("internal:unexpected");
    expect(text).not.toContain("secret");
    if (isJson) expect(JSON.parse(text)).toMatchObject({ error: { hint: expect.stringContaining("npm") } });
  });

  it.each(["EMFILE", "ENFILE"])("says what to do about too many open files: %s", (code) => {
    const text = renderLastResort(Object.assign(new Error("open /home/a/secret"), { code }), []);
    expect(text).toMatch(/^error: .*(EMFILE|ENFILE)\) \(system:open_files_limit\)\nhint: Raise /);
    expect(text).not.toContain("secret");
  });
});

it.each([
  [new Error(""), "Something unexpected happened"],
  ["a\nb", "a"],
  [undefined, "undefined"],
])("the first line of %j is %j", (value, line) => {
  expect(getFirstLine(value)).toBe(line);
});
