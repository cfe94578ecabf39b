import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createClient } from "@mgmt/sdk";
import { requiredFeatures } from "../../src/checks/type-checks.js";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

const create = () => createClient({ baseUrl: "https://api.example.com", token: false });

/** Returns what creating a client throws in a runtime that lacks a feature. */
const errorWithout = (feature: string): unknown => {
  const names = feature.split(".");
  const last = names.pop() ?? "";
  const owner = names.reduce<object>((object, name) => Object(Reflect.get(object, name)), globalThis);
  const whole = Object.getOwnPropertyDescriptor(owner, last);
  Reflect.set(owner, last, undefined);
  try {
    return create();
  } catch (error) {
    return error;
  } finally {
    if (whole) Object.defineProperty(owner, last, whole);
    else Reflect.deleteProperty(owner, last);
  }
};

it.each(requiredFeatures)("names %s when the runtime lacks it, as the README does", (feature) => {
  expect(errorWithout(feature)).toMatchObject({
    code: "argument:invalid",
    message: `${feature} is missing in this runtime`,
    hint: expect.stringContaining("polyfill"),
  });
  expect(readme).toContain(`\`${feature}\``);
});

it("creates a client in a runtime that has all of them", () => {
  expect(create()).toHaveProperty("projects");
});
