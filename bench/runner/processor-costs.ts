import { median } from "./rounds.js";

/** Measures the processor time per request of each contender, which is meaningful even on a busy machine. */
export class ProcessorCosts {
  readonly #costs = new Map<string, number[]>();

  /** Seconds of processor time for that many requests. */
  add(contender: string, seconds: number, requests: number): void {
    const costs = this.#costs.get(contender) ?? [];
    costs.push((seconds / requests) * 1e6);
    this.#costs.set(contender, costs);
  }

  /** Describes the costs, with the ratio of the first contender to the second, inverted for contenders measured by rate. */
  describe(measured: "time" | "rate"): string {
    const each = [...this.#costs].map(([name, costs]) => ({ name, cost: median(costs) }));
    const [subject = Number.NaN, baseline = Number.NaN] = each.map(({ cost }) => cost);
    const ratio = measured === "time" ? subject / baseline : baseline / subject;
    const list = each.map(({ name, cost }) => `${name} ${cost.toFixed(1)} µs`).join(", ");
    return `processor time for a request: ${list}; ratio by processor time ${ratio.toFixed(3)}`;
  }
}
