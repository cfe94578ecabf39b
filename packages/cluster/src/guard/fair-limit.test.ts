import { describe, expect, it } from "vitest";
import { computeFairLimit } from "./fair-limit.js";

describe("the fair limit", () => {
  it.each([
    { sessions: [100, 100, 100, 100, 100], total: 400, limit: 80 },
    { sessions: [100, 2, 3, 100], total: 105, limit: 50 },
    { sessions: [1, 1, 1], total: 400, limit: 1 },
    { sessions: [7, 9], total: 16, limit: 9 },
    { sessions: [5, 5, 5], total: 2, limit: 1 },
    { sessions: [], total: 10, limit: 1 },
  ])("of $sessions with $total together is $limit", ({ sessions, total, limit }) => {
    expect(computeFairLimit(sessions, total)).toBe(limit);
  });
});
