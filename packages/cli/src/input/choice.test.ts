import { describe, expect, it } from "vitest";
import { renderChoice } from "./choice.js";

const id = "db_8s2d4f6g1h3j5k7l9q0w2e4r";
const choice = { value: id, parts: ["reports", "shop", "ready"], isId: true };

describe("a choice in a list", () => {
  it("is one line if it fits", () => {
    expect(renderChoice(choice, 80, 2)).toBe(`reports  shop  ready  ${id}`);
  });

  it("continues on an indented line, with a whole id", () => {
    expect(renderChoice(choice, 40, 2)).toBe(`reports  shop  ready\n    ${id}`);
    expect(renderChoice(choice, 20, 2)).toBe(`reports  shop\n    ready\n    ${id}`);
  });

  it("has a name that is cut if a line cannot hold it", () => {
    const [name = "", ...rest] = renderChoice({ ...choice, parts: ["漢".repeat(60)] }, 40, 2).split("\n");
    expect(name).toBe(`${"漢".repeat(17)}…`);
    expect(rest).toEqual([`    ${id}`]);
  });

  it("begins below a question that leaves little space", () => {
    expect(renderChoice(choice, 40, 30)).toBe(`\n    reports  shop  ready\n    ${id}`);
  });
});
