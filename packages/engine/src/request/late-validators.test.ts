import { expect, it, vi } from "vitest";
import * as early from "./validators.js";
import * as late from "./late-validators.js";

it("loads the validators once, when they are first needed, after failures too", async () => {
  expect(late.bodyValidators).toEqual({});
  // Stands for a server that does not respond to a page.
  vi.doMock("../generated/validators.js", () => Promise.reject(new Error("offline")));
  await expect(late.loadValidators()).rejects.toThrow();
  vi.doUnmock("../generated/validators.js");
  const loading = late.loadValidators();
  expect(loading).toBeInstanceOf(Promise);
  expect(late.loadValidators()).toBe(loading);
  await loading;
  expect(late.loadValidators()).toBeUndefined();
  expect(late.bodyValidators).toBe(early.bodyValidators);
  expect(late.queryValidators).toBe(early.queryValidators);
  expect(late.responseValidators).toBe(early.responseValidators);
});
