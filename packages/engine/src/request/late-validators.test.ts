import { expect, it } from "vitest";
import * as early from "./validators.js";
import * as late from "./late-validators.js";

it("loads the validators once, when they are first needed", async () => {
  expect(late.bodyValidators).toEqual({});
  const loading = late.loadValidators();
  expect(loading).toBeInstanceOf(Promise);
  expect(late.loadValidators()).toBe(loading);
  await loading;
  expect(late.loadValidators()).toBeUndefined();
  expect(late.bodyValidators).toBe(early.bodyValidators);
  expect(late.queryValidators).toBe(early.queryValidators);
  expect(late.responseValidators).toBe(early.responseValidators);
});
