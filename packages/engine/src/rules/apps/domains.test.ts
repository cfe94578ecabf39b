import { expect, it } from "vitest";
import { buildAppDomain, buildPreviewDomain } from "./domains.js";

const appId = "app_0123456789abcdefghijklmn";

it.each([
  ["a name", "shop", "shop-"],
  ["capital letters", "Shop", "shop-"],
  ["runs of other characters", "My  -- Shop!é42", "my-shop-42-"],
  ["other characters at its ends", "--(Shop)--", "shop-"],
  ["no character that a host name may have", "店", ""],
  ["more than 40 characters", "a".repeat(41), `${"a".repeat(40)}-`],
  ["another character at the 40th place", `${"a".repeat(39)}--b`, `${"a".repeat(39)}-`],
])("derives the domain of an app from a name with %s", (_, name, label) => {
  expect(buildAppDomain(appId, name)).toBe(`${label}0123456789ab.apps.mgmt.example`);
});

it("derives the domain of a deployment from its id", () => {
  expect(buildPreviewDomain("dpl_0123456789abcdefghijklmn")).toBe("dpl-0123456789ab.apps.mgmt.example");
});
