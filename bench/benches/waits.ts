import type { SignUps } from "../programs/calls.js";
import type { Bench } from "../runner/bench.js";
import { goals } from "../runner/goals.js";
import { startProgram } from "../runner/program.js";
import { median } from "../runner/rounds.js";

const later = 20;

/** Measures a sign-up in a new process each round: the first one, which also compiles the code, and those that follow. */
export const waits: Bench = {
  name: "waits",
  about:
    "a sign-up with two retries and eleven polls, 32 seconds by the clock of the mock, with mock.client()",
  run: async (rounds = 15) => {
    const [first, following, processor]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      const program = await startProgram<SignUps>("sign-up");
      try {
        first.push(await program.calls.time());
        const before = await program.calls.processorTime();
        const times: number[] = [];
        for (let count = 0; count < later; count += 1) times.push(await program.calls.time());
        const spent = (await program.calls.processorTime()) - before;
        processor.push((spent * 1_000) / later);
        following.push(median(times));
      } finally {
        await program.stop();
      }
    }
    const series = (name: string, values: number[]) => ({ name, unit: "ms" as const, rounds: values });
    return [
      {
        title: "sign-up in a test that follows others",
        subject: series("real time", following),
        others: [series("processor time", processor)],
        goal: goals.waits,
      },
      { title: "sign-up in the first test of a process", subject: series("real time", first) },
    ];
  },
};
