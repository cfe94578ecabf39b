/** What a finding should reach. */
export interface Goal {
  /**
   * The median ratio of the subject to its baseline, the median share that the baseline is of the subject, or the median of the
   * subject in its unit.
   */
  readonly of: "ratio" | "share" | "median";
  readonly relation: "≥" | "≤" | "<";
  readonly limit: number;
}

const ratio = (relation: Goal["relation"], limit: number): Goal => ({ of: "ratio", relation, limit });
const share = (limit: number): Goal => ({ of: "share", relation: "≥", limit });
const median = (relation: Goal["relation"], limit: number): Goal => ({ of: "median", relation, limit });

/** The goals of all benches. */
export const goals = {
  http: { shortList: share(0.5), longList: share(0.3) },
  msw: ratio("≤", 1.15),
  engine: median("≤", 250),
  waits: median("<", 50),
  databases: { first: median("<", 1000), later: median("≤", 500), next: ratio("≤", 0.55) },
  platform: {
    read: { node: median("≤", 150), postgres: median("≤", 100) },
    create: { node: median("≤", 350), postgres: median("≤", 250) },
  },
  cli: {
    version: ratio("≤", 1.1),
    help: ratio("≤", 1.25),
    list: ratio("≤", 1.45),
    tlsList: ratio("≤", 1.3),
    completion: median("≤", 300),
    table: median("≤", 1.2),
    stream: median("≤", 2),
    streamMemory: median("≤", 120_000_000),
  },
  sdk: {
    bundle: median("≤", 8192),
    partialBundle: median("≤", 5120),
    import: median("≤", 4.5),
    instantiations: median("≤", 75),
    checkTime: median("≤", 0.1),
    callOnFetch: ratio("≤", 1.1),
    callOnNode: ratio("≤", 0.5),
    pages: ratio("≤", 0.6),
  },
} as const;
