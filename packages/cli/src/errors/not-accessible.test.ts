import { expect, it } from "vitest";
import { isNotAccessibleError } from "./not-accessible.js";

const withStatus = (status: unknown): Error => Object.assign(new Error("refused"), { status });

it.each([
  [withStatus(403), true],
  [withStatus(404), true],
  [withStatus(422), true],
  [withStatus(400), false],
  [withStatus(401), false],
  [withStatus(409), false],
  [withStatus(429), false],
  [withStatus(500), false],
  [withStatus("404"), false],
  [new Error("lost"), false],
  [{ status: 404 }, false],
  [undefined, false],
])("%o means that a resource is not accessible: %s", (error, expected) => {
  expect(isNotAccessibleError(error)).toBe(expected);
});
