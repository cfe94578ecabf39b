import { describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { allCommands } from "../../test/program.js";

const allLines = (await allCommands()).map(({ line }) => line.split(" ").slice(1));

describe("help on a terminal", () => {
  /** Lines that are too wide, without those of a single word, which cannot be broken. */
  const tooWide = (text: string, columns: number): string[] =>
    text.split("\n").filter((line) => line.length > columns && !/^ *("[^"]*"|'[^']*'|\S+)( \\)?$/.test(line));

  it.each(
    [40, 80, 200].flatMap((columns) => allLines.map((words) => [columns, words.join(" "), words] as const)),
  )(
    "has no line that is wider than %i columns, and all values: mgmt %s --help",
    async (columns, _, words) => {
      const { status, stdout, stderr } = await runInProcess([...words, "--help"], {
        terminal: true,
        columns,
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(tooWide(stdout, columns)).toEqual([]);
      expect(stdout).not.toMatch(/\[object|\[Function|=> \{|\bundefined\b|\bNaN\b/);
    },
  );
});
