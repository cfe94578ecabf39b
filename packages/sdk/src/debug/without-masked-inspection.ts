/** The replacement of `masked-inspection.ts` for runtimes other than Node.js. Bundlers remove calls of empty functions. */
export function maskInspection(): void {}
