import { setImmediate as nextTurn } from "node:timers/promises";

/** Discards lines that were typed before a question was printed, because they would answer it. */
export const discardTypedLines = async (input: NodeJS.ReadStream): Promise<void> => {
  let isInputRead = true;
  const onData = (): void => {
    isInputRead = false;
  };
  input.on("data", onData);
  do {
    isInputRead = true;
    await nextTurn();
    await nextTurn();
  } while (!isInputRead);
  input.off("data", onData);
  input.pause();
};
