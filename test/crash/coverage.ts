import { steps } from "./steps.js";

/** Changes that some kill at a step must interrupt. */
const changes = [
  "create project",
  "create database",
  "clone",
  "back up",
  "restore",
  "rotate",
  "delete database",
  "delete project",
  "transfer",
];

/** Counts which steps were reached, and which changes had no answer yet at these kills. */
export class Coverage {
  readonly #steps = new Map<string, number>();
  readonly #changes = new Map<string, number>();

  /** @param pending Changes that had no answer yet. */
  reached(step: string, pending: readonly string[]): void {
    this.#steps.set(step, (this.#steps.get(step) ?? 0) + 1);
    for (const change of new Set(pending)) this.#changes.set(change, (this.#changes.get(change) ?? 0) + 1);
  }

  report(): string {
    const print = (names: readonly string[], counts: ReadonlyMap<string, number>): string[] =>
      names.map((name) => `  ${name}: ${String(counts.get(name) ?? "NOT REACHED")}`);
    return [
      "Kills at each step:",
      ...print(
        steps.map(({ name }) => name),
        this.#steps,
      ),
      "Kills at a step while a change had no answer:",
      ...print(changes, this.#changes),
    ].join("\n");
  }
}
