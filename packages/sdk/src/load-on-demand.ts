/** An answer that is no success, a retry, a wait or a debug print comes first. */
export const loadOnDemand = (): Promise<typeof import("./on-demand.js")> => import("./on-demand.js");
