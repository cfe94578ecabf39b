/** What an answer means for the change that was requested. */
export const meanings = ["done", "refused", "503, nothing done", "503, unknown", "not sent", "cut"] as const;

export type Meaning = (typeof meanings)[number];

/** Changes, each of which must get every answer in a long run. */
const changes = [
  "create project",
  "delete project",
  "delete project (SDK)",
  "create database",
  "clone",
  "restore",
  "delete database",
  "delete database (SDK)",
  "rotate",
  "rotate (SDK)",
  "create connection",
  "delete connection",
  "transfer",
  "back up",
];

/** Answers that each change gets in a run of many kills. The SDK repeats a request until it is done, or unknown. */
const expectedOf = (change: string): readonly Meaning[] =>
  change.endsWith("(SDK)") ? ["done"] : ["done", "503, nothing done", "cut"];

/** Number of answers by change and meaning. */
export class Answers {
  readonly #counts = new Map<string, number>();

  add(change: string, meaning: Meaning): void {
    const key = `${change}\0${meaning}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Returns a table with a line for each change. */
  report(): string {
    const count = (change: string, meaning: Meaning): string =>
      String(
        this.#counts.get(`${change}\0${meaning}`) ??
          (expectedOf(change).includes(meaning) ? "NOT REACHED" : 0),
      );
    const names = [
      ...new Set([...changes, ...[...this.#counts.keys()].map((key) => key.split("\0")[0] ?? "")]),
    ];
    const rows = [
      ["", ...meanings],
      ...names.map((name) => [name, ...meanings.map((each) => count(name, each))]),
    ];
    const widths = ["", ...meanings].map((_, column) =>
      Math.max(...rows.map((row) => row[column]?.length ?? 0)),
    );
    return rows
      .map((row) =>
        row
          .map((cell, column) =>
            column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
          )
          .join("  "),
      )
      .join("\n");
  }
}
