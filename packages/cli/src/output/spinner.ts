import type { OutputStream } from "./streams.js";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 120;
/** Some terminals do not report their width. */
const defaultWidth = 80;
const clearLineSequence = "\r\u001b[K";

/** Redraws a line on a terminal until the returned function is called, which removes it. */
export const startSpinner = (stream: OutputStream, text: () => string): (() => void) => {
  let frameCount = 0;
  const timer = setInterval(() => {
    const frame = frames[frameCount++ % frames.length] ?? "";
    // A line that wraps could not be cleared.
    const width = Math.max(1, (stream.columns || defaultWidth) - 1);
    stream.write(clearLineSequence + `${frame} ${text()}`.slice(0, width));
  }, frameMs).unref();
  return () => {
    clearInterval(timer);
    stream.write(clearLineSequence);
  };
};
