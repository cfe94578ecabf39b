import type { Limit, LimitClass } from "./limit.js";

/**
 * The replacement of `light-limit.ts` for runtimes other than Node.js. Bundlers remove functions that return their only argument,
 * which is why these are declarations.
 */
export function limitClass(Plain: LimitClass): LimitClass {
  return Plain;
}
export function forTransport(limit: Limit): Limit {
  return limit;
}
export function reusing<T>(timers: T): T {
  return timers;
}
export function acceptLightSignals(): void {}
