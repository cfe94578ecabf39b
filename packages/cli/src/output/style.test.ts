import { describe, expect, it } from "vitest";
import { loadStyle, wantsColor } from "./style.js";

describe.each([
  ["with colors", true],
  ["without colors", false],
])("a style %s", async (_name, color) => {
  const style = await loadStyle(color);

  it("prints the text that it emphasizes, and none of the other arguments of a callback", () => {
    for (const emphasize of Object.values(style)) {
      // What `map` would call, had the compiler not rejected it.
      const callback = emphasize as unknown as (text: string, index: number, all: string[]) => string;
      expect(["a", "b"].map(callback)).toEqual([emphasize("a"), emphasize("b")]);
    }
    expect(style.strong("a")).toBe(color ? "\u001b[1ma\u001b[22m" : "a");
  });

  it("is rejected by the compiler as a callback, and with a second argument", () => {
    // @ts-expect-error Not for `map`, which also passes an index and the list.
    expect(["a"].map(style.strong)).toEqual([style.strong("a")]);
    // @ts-expect-error One text at a time.
    expect(style.strong("a", "b")).toBe(style.strong("a"));
  });
});

it.each<[boolean, NodeJS.ProcessEnv, boolean]>([
  [true, {}, true],
  [true, { CI: "true" }, true],
  [true, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
  [true, { TERM: "dumb" }, false],
  [true, { CURSOR_AGENT: "1" }, false],
  [true, { CURSOR_AGENT: "1", FORCE_COLOR: "1" }, true],
  [false, {}, false],
  [false, { FORCE_COLOR: "1" }, true],
  [false, { FORCE_COLOR: "0" }, false],
])("where a terminal is %s, with %j, colors are wanted: %s", (isTTY, env, expected) => {
  expect(wantsColor({ isTTY }, env)).toBe(expected);
});
