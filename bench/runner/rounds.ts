import type { Series, Unit } from "./bench.js";

export interface Contender {
  readonly name: string;
  readonly unit: Unit;
  /** One round; the value is in `unit`. */
  measure(): Promise<number> | number;
}

export interface RoundOptions {
  /** Rounds that are thrown away. */
  readonly warmUp: number;
  readonly rounds: number;
}

/** Measures in turns, A B A B, so that what disturbs the machine disturbs all contenders. */
export const takeTurns = async (
  contenders: readonly Contender[],
  { warmUp, rounds }: RoundOptions,
): Promise<Series[]> => {
  const series = contenders.map(({ name, unit }) => ({ name, unit, rounds: [] as number[] }));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const value = await contender.measure();
      if (round >= 0) series[index]?.rounds.push(value);
    }
  }
  return series;
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
};

/** Subject over baseline, round by round. */
export const ratios = (subject: Series, baseline: Series): number[] =>
  subject.rounds.map((value, round) => value / (baseline.rounds[round] ?? Number.NaN));
