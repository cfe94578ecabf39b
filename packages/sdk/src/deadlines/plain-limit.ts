import type { Limit, LimitClass } from "./limit.js";

/**
 * The replacement of `light-limit.ts` for runtimes other than Node.js. Bundlers remove functions that return their only argument,
 * which is why these are declarations.
 */
export function selectAborterClass(PlainClass: LimitClass): LimitClass {
  return PlainClass;
}
export function selectTransportSignal(limit: Limit): Limit {
  return limit;
}
export function selectTimers<T>(platformTimers: T): T {
  return platformTimers;
}
export function acceptLightSignals(): void {}
