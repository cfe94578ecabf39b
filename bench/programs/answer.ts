import { once } from "node:events";

export interface Target {
  readonly baseUrl: string;
  /** A valid access token, if the server requires one. */
  readonly token: string;
}

/** Answers the parent's first message, and each later one with the microseconds of processor time so far, until it disconnects. */
export const answer = async <Input>(answerTo: (input: Input) => unknown): Promise<void> => {
  process.once("disconnect", () => process.exit());
  const [input] = await once(process, "message");
  process.on("message", () => process.send?.(processorTime()));
  // Only `startProgram` writes to this channel.
  process.send?.(await answerTo(input as Input));
};

const processorTime = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Repeats work, after half as many repetitions that warm up, and returns the microseconds of processor time of each. */
export const spend = async (times: number, work: () => unknown): Promise<number> => {
  for (let count = 0; count < times / 2; count += 1) await work();
  const before = processorTime();
  for (let count = 0; count < times; count += 1) await work();
  return (processorTime() - before) / times;
};
