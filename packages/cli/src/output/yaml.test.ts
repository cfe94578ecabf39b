import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderYaml } from "./yaml.js";

describe("renderYaml", () => {
  it.each([
    ...["no", "on", "y", "YES", "null", "~", "", ".inf", "<<"],
    ...[
      "2026-01-01",
      "12:30:45",
      "1_000",
      "1,000",
      "1.10",
      "007",
      "0b11",
      "-.5",
      "1e3",
      "2026-01-01T00:00:00Z",
    ],
    ...["=", ":symbol", "a\tb"],
  ])("quotes what some reader takes for something else: %j", (text) => {
    const json = JSON.stringify(text);
    expect(renderYaml([text])).toBe(`- ${json}\n`);
    expect(renderYaml({ [text]: [text] })).toBe(`${json}:\n  - ${json}\n`);
  });

  it.each(["shop", "db_1", "eu-west-3", "a: b", "it's", "two\nlines\n", "yes\n", "\u0085", "-", "...", "😀"])(
    "renders a string that every version reads back: %j",
    (text) => {
      for (const value of [text, [text], { [text]: text }])
        for (const version of ["1.1", "1.2"] as const)
          expect(parse(renderYaml(value), { version })).toEqual(value);
    },
  );

  it("leaves plain strings, numbers, booleans, and null unquoted", () => {
    const value = { name: "shop", region: "eu-west-3", size: 1, ratio: 0.5, isDefault: true, source: null };
    expect(renderYaml(value)).toBe(
      "name: shop\nregion: eu-west-3\nsize: 1\nratio: 0.5\nisDefault: true\nsource: null\n",
    );
  });

  it("puts a string that is the whole document on one line if it has several", () => {
    expect(renderYaml("two\nlines")).toBe('"two\\nlines"\n');
  });
});
