import { setImmediate as nextTurn } from "node:timers/promises";

/** Discards lines that were typed before a question was printed, because they would answer it. */
export const discardTypedLines = async (input: NodeJS.ReadStream): Promise<void> => {
  let hasInputEnded = true;
  const onData = (): void => {
    hasInputEnded = false;
  };
  input.on("data", onData);
  do {
    hasInputEnded = true;
    await nextTurn();
    await nextTurn();
  } while (!hasInputEnded);
  input.off("data", onData);
  input.pause();
};
