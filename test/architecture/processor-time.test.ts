import { expect, it } from "vitest";
import { secondsIn } from "../../scripts/processor-time.js";

const stat = "4711 (node) S 4700 4711 4700 34816 4711 4194304 9 9 0 0 1200 300 45000 5500 20 0 11 0 99";

it("adds the time of a process and of the programs that it started", () => {
  expect(secondsIn(stat)).toBe(520);
});

it("reads it for a program whose name has parentheses and spaces", () => {
  expect(secondsIn(stat.replace("(node)", "(no) de) R)"))).toBe(520);
});
