/** A part of the gate. It passes if its process exits with status 0. */
export interface Stage {
  readonly name: string;
  /** Its usual duration on a processor of its own. */
  readonly minutes: number;
  /** A program with its arguments. For Vitest, the path of a configuration instead. */
  readonly run: readonly string[] | { readonly vitest: string };
}

/** The stages that run beside each other, in any order. */
export const stages: readonly Stage[] = [
  { name: "test", minutes: 7, run: { vitest: "vitest.config.ts" } },
  { name: "matrix", minutes: 5, run: { vitest: "test/runtimes/vitest.config.ts" } },
  { name: "lint", minutes: 2.5, run: ["npm", "run", "lint"] },
  { name: "typecheck", minutes: 0.5, run: ["npm", "run", "typecheck"] },
  { name: "store", minutes: 1.5, run: { vitest: "test/store/vitest.config.ts" } },
  { name: "browser", minutes: 1.5, run: { vitest: "test/browser/vitest.config.ts" } },
  { name: "security", minutes: 1.5, run: { vitest: "test/security/vitest.config.ts" } },
  {
    name: "crash",
    minutes: 1.5,
    run: ["node", "--import", "tsx", "test/crash/index.ts", "--kills", "8", "--seed", "gate"],
  },
  {
    name: "soak",
    minutes: 0.5,
    run: ["node", "--import", "tsx", "test/soak/index.ts", "--requests", "1000", "--seed", "gate"],
  },
  { name: "keyring", minutes: 0.2, run: ["packages/cli/test/keyring/run.sh"] },
];

/** Runs before all others, which need what it builds. */
export const first: Stage = { name: "build", minutes: 1, run: ["npm", "run", "build"] };

/** Runs when all tests have passed: it compares what they recorded with the contract. */
export const last: Stage = {
  name: "responses",
  minutes: 0.1,
  run: ["node", "--import", "tsx", "scripts/check-responses.ts"],
};
