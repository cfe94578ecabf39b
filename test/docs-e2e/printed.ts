const trimLines = (text: string): string => text.trim().replaceAll(/[ \t]*\n[ \t]*/g, "\n");

/** Returns whether lines are among those that were printed. `…` stands for anything, and indentation does not matter. */
export const isPrinted = (printed: string, lines: string): boolean => {
  const parts = trimLines(lines).split("…");
  const pattern = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join(".*");
  return new RegExp(`^${pattern}$`, "m").test(trimLines(printed));
};
