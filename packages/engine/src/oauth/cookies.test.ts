import { describe, expect, it } from "vitest";
import { findCookieValues } from "./cookies.js";

describe("the cookies of a name", () => {
  it.each<[string | undefined, string[]]>([
    [undefined, []],
    ["", []],
    ["a", []],
    ["ab=1; b=a=2; A=3", []],
    ["a=1", ["1"]],
    ["a=", [""]],
    ["b=2;a=1;  a=3 ", ["1", "3"]],
    ["a=MTI=; a=b=c; a==", ["MTI=", "b=c", "="]],
  ])("have their whole values in %j", (cookie, values) => {
    expect(findCookieValues({ method: "GET", path: "/", headers: { cookie } }, "a")).toEqual(values);
  });
});
