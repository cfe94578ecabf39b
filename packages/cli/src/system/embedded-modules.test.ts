import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { requireEmbedded } from "./embedded-modules.js";

it("runs each file of the build once, also if two need each other, and loads all others from outside", () => {
  const texts: Record<string, string> = {
    "first.js": `exports.second = require("./second.js"); exports.sep = require("node:path").sep;`,
    "second.js": `exports.first = require("./first.js");`,
  };
  const names: string[] = [];
  const load = (name: string): object =>
    requireEmbedded(name, createRequire(import.meta.url), (file) => {
      names.push(file);
      return texts[file] ?? "";
    });
  const first = load("first.js");
  expect(first).toMatchObject({ second: { first: expect.anything() }, sep: expect.any(String) });
  expect(load("second.js")).toHaveProperty("first", first);
  expect(names).toEqual(["first.js", "second.js"]);
});
