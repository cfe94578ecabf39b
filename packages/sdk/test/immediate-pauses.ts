import type { Timers } from "@mgmt/sdk";

/** Timers with real deadlines, but without pauses between retries. */
export const immediatePauses: Timers = {
  setTimeout,
  setPause: (callback) => setTimeout(callback, 0),
  clearTimeout,
  performance,
};
