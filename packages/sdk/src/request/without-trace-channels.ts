/**
 * The replacement of `trace-channels.ts` for runtimes other than Node.js. The `imports` of `package.json` choose between them,
 * because bundlers for edge runtimes reject code that looks for modules of Node.js. Bundlers remove calls of empty functions,
 * which is why these are declarations.
 */
export function getObservedChannel(): undefined {}
export function traceIfObserved(): undefined {}
