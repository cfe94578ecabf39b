import { describe, expect, it } from "vitest";
import { replaceJson } from "./embedded-json.js";

describe("replaceJson", () => {
  it.each([
    ["an object inside a string", 'sent {"a":1} twice', "sent <1> twice"],
    ["an array", "[1,[2]]!", "<1>!"],
    ["each of several", '{"a":1} and [2]', "<1> and <1>"],
    ["only the outermost", '{"a":{"b":[{}]}}', "<1>"],
    ["braces and quotes inside strings", '{"a":"}\\"{"} end', "<1> end"],
    ["JSON inside braces that are none", '{ sent {"a":1} }', "{ sent <1> }"],
    ["JSON after braces that nothing closes", '{ sent [ {"a":1}', "{ sent [ <1>"],
    ["nothing in other text", "plain } ] text", "plain } ] text"],
  ])("replaces %s", (_, text, replaced) => {
    expect(replaceJson(text, () => "<1>")).toBe(replaced);
  });

  it("passes the value and its text, and keeps the text for undefined", () => {
    const seen: unknown[] = [];
    const replace = (value: unknown, json: string): undefined => void seen.push([value, json]);
    expect(replaceJson('a {"b": 1} [2] c', replace)).toBe('a {"b": 1} [2] c');
    expect(seen).toEqual([
      [{ b: 1 }, '{"b": 1}'],
      [[2], "[2]"],
    ]);
  });

  it("gives up on a string of braces instead of searching it for each of them", () => {
    const text = `${"{".repeat(50_000)}{"a":1}`;
    expect(replaceJson(text, () => "<1>")).toBe(text);
  });
});
