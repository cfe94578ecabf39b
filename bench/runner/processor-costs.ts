import { median } from "./rounds.js";

/**
 * What a request costs each contender in processor time. On a machine that others use, too, this holds when a time on
 * the wall does not.
 */
export class ProcessorCosts {
  readonly #costs = new Map<string, number[]>();

  /** Seconds of processor time for as many requests. */
  add(contender: string, seconds: number, requests: number): void {
    const costs = this.#costs.get(contender) ?? [];
    costs.push((seconds / requests) * 1e6);
    this.#costs.set(contender, costs);
  }

  /** Of the first contender against the second. */
  describe(): string {
    const each = [...this.#costs].map(([name, costs]) => ({ name, cost: median(costs) }));
    const [subject, baseline] = each.map(({ cost }) => cost);
    const ratio =
      subject !== undefined && baseline !== undefined ? `, ratio ${(subject / baseline).toFixed(3)}` : "";
    const list = each.map(({ name, cost }) => `${name} ${cost.toFixed(1)} µs`).join(", ");
    return `processor time for a request: ${list}${ratio}`;
  }
}
