import { describe, expect, it } from "vitest";
import { computeRetryDelay, failureDelays, outageDelays } from "./retry-delay.js";

describe("computeRetryDelay", () => {
  it.for([
    { delays: failureDelays, attempts: 1, draw: 1, expected: 1_000 },
    { delays: failureDelays, attempts: 2, draw: 1, expected: 2_000 },
    { delays: failureDelays, attempts: 2, draw: 0.25, expected: 500 },
    { delays: failureDelays, attempts: 9, draw: 1, expected: 256_000 },
    { delays: failureDelays, attempts: 10, draw: 0.5, expected: 150_000 },
    { delays: failureDelays, attempts: 5_000, draw: 1, expected: 300_000 },
    { delays: outageDelays, attempts: 1, draw: 1, expected: 500 },
    { delays: outageDelays, attempts: 5_000, draw: 0.5, expected: 2_500 },
  ])("is $expected after $attempts attempts with a draw of $draw", ({ delays, attempts, draw, expected }) => {
    expect(computeRetryDelay(delays, attempts, draw)).toBe(expected);
  });
});
