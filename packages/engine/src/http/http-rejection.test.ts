import { expect, it } from "vitest";
import { findHeadSizeRejection, maxHeadBytes } from "./http-rejection.js";

it.each([
  [0, undefined],
  [1, 431],
])(
  "refuses a head that reaches the limit, as node:http does: %i bytes more than allowed",
  (excess, status) => {
    const target = "/".repeat(100);
    const headers = [
      ["a", "x".repeat(100)],
      ["bc", "y".repeat(maxHeadBytes - 100 - 101 - 2 - 1 + excess)],
    ] as const;
    expect(findHeadSizeRejection(target, headers)?.status).toBe(status);
  },
);
