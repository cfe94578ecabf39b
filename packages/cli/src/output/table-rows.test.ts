import { describe, expect, it } from "vitest";
import { renderTableRows, measureColumnWidths } from "./table-rows.js";

const draw = (rows: readonly (readonly string[])[], widths?: readonly number[]): string[] => {
  const cells = rows.map((row) => row.map((text) => ({ text })));
  return renderTableRows(cells, widths ?? measureColumnWidths(cells));
};

describe("the rows of a table", () => {
  it("are aligned after wide, combined, and joined characters, without spaces at their end", () => {
    const names = ["plain", "東京", "e\u0301", "👩‍👩‍👧", "", "\ue000"];
    expect(draw(names.map((name) => [name, "x", ""]))).toEqual([
      "plain  x",
      "東京   x",
      "e\u0301      x",
      "👩‍👩‍👧     x",
      "       x",
      "\ue000      x",
    ]);
  });

  it("move what follows a string that is wider than its column", () => {
    expect(
      draw(
        [
          ["a", "x"],
          ["東京都庁", "x"],
          ["longer", "x"],
        ],
        [3, 1],
      ),
    ).toEqual(["a    x", "東京都庁  x", "longer  x"]);
  });

  it("are all drawn, with the emphasis of their texts alone", () => {
    const texts = Array.from({ length: 120 }, (_, index) => (index % 2 === 0 ? "é" : `row ${String(index)}`));
    const emphasize = (text: string): string => `\u001b[1m${text}\u001b[22m`;
    const lines = renderTableRows(
      texts.map((text) => [{ text, emphasize }]),
      [7],
    );
    expect(lines).toEqual(texts.map(emphasize));
  });
});
