import { describe, expect, it } from "vitest";
import { addOAuthClient, type PublicClient } from "./oauth-client-option.js";

/** Returns the clients of several flags. */
const clientsOf = (...values: string[]): PublicClient[] =>
  values.reduce<PublicClient[]>((clients, value) => addOAuthClient(value, clients), []);

describe("--oauth-client", () => {
  it.each([
    [["a=http://x"], [{ id: "a", redirectUris: ["http://x"] }]],
    [[" a = http://x , http://y?b=c "], [{ id: "a", redirectUris: ["http://x", "http://y?b=c"] }]],
    [
      ["a=http://x", "b=http://y", "itgr_a=http://x,http://z"],
      [
        { id: "a", redirectUris: ["http://x", "http://z"] },
        { id: "b", redirectUris: ["http://y"] },
      ],
    ],
  ])("is %j", (values, clients) => {
    expect(clientsOf(...values)).toEqual(clients);
  });

  it.each([
    ["http://x", "has no ="],
    [" =http://x", "has no client id"],
    ["a=", "has an empty redirect URI"],
    ["a=http://x,,http://y", "has an empty redirect URI"],
  ])("is not %s", (value, problem) => {
    expect(() => clientsOf(value)).toThrow(problem);
  });
});
