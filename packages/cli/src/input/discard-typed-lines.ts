import { setImmediate as nextTurn } from "node:timers/promises";

/** Discards the lines that were typed before there was anything to see: they would answer a question that was not shown. */
export const discardTypedLines = async (input: NodeJS.ReadStream): Promise<void> => {
  let isEmpty = true;
  const onData = (): void => {
    isEmpty = false;
  };
  input.on("data", onData);
  do {
    isEmpty = true;
    await nextTurn();
    await nextTurn();
  } while (!isEmpty);
  input.off("data", onData);
  input.pause();
};
