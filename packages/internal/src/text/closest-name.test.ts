import { describe, expect, it } from "vitest";
import { findClosestName } from "./closest-name.js";

describe("findClosestName", () => {
  it.each([
    ["a missing letter", "timeotMs", ["timeoutMs", "maxRetries"], "timeoutMs"],
    ["an added letter", "tokken", ["fetch", "token"], "token"],
    ["a replaced letter", "tokan", ["fetch", "token"], "token"],
    ["two swapped letters, which are one error", "abdc", ["abcd"], "abcd"],
    ["two swapped letters at the start", "bacd", ["abcd"], "abcd"],
    ["capitals and signs", "BASE-URL", ["baseUrl"], "baseUrl"],
    ["as many errors as a third of the letters", "abxdye", ["abcdee"], "abcdee"],
    ["the fewest errors, in any order of names", "tokens", ["tokes", "token", "tokens2"], "tokens2"],
    ["a name that it contains", "myVeryLongTimeoutMs", ["timeoutMs"], "timeoutMs"],
    ["a name that contains it", "retries", ["maxRetriesInAll"], "maxRetriesInAll"],
    ["a name with the same beginning", "retryForever", ["retCount"], "retCount"],
    ["typing errors rather than the same beginning", "tokXn", ["tokyoTimes", "token"], "token"],
  ])("corrects %s", (_, name, names, closest) => {
    expect(findClosestName(name, names)).toBe(closest);
  });

  it.each([
    ["more errors than a third of the letters", "xbxdex", ["abcdef"]],
    ["no similar name", "zzzz", ["timeoutMs", "token"]],
    ["fewer than three letters", "to", ["token"]],
    ["fewer than three letters beside digits", "to1234", ["token"]],
    ["no names", "token", []],
  ])("returns nothing for %s", (_, name, names) => {
    expect(findClosestName(name, names)).toBeUndefined();
  });

  it("takes synonyms for the name", () => {
    const synonyms = { token: ["apikey", "password"] };
    expect(findClosestName("pasword", ["timeoutMs", "token"], synonyms)).toBe("token");
    expect(findClosestName("pasword", ["timeoutMs", "token"])).toBeUndefined();
  });
});
