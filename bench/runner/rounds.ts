import type { Series, Unit } from "./bench.js";

export interface Contender {
  readonly name: string;
  readonly unit: Unit;
  /** Runs one round; returns a value in `unit`. */
  measure(): Promise<number> | number;
}

export interface RoundOptions {
  /** Rounds that are discarded. */
  readonly warmUp: number;
  readonly rounds: number;
}

/** Measures the contenders alternately (A B A B), so that other load affects all of them. */
export const measureAlternately = async (
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

/** Returns subject divided by baseline, round by round. */
export const ratios = (subject: Series, baseline: Series): number[] =>
  subject.rounds.map((value, round) => value / (baseline.rounds[round] ?? Number.NaN));
