import { expect, it } from "vitest";
import { isRealDay } from "./real-day.js";

it.each([
  [true, "2026-01-31"],
  [true, "2024-02-29"],
  [false, "2026-02-29"],
  [false, "2026-02-31"],
  [false, "2026-04-31"],
  [false, "2026-01-32"],
  [false, "2026-13-01"],
  [false, "2026-01-00"],
])("isRealDay is %s for %s", (isReal, date) => {
  expect(isRealDay(date)).toBe(isReal);
});
