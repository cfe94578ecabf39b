import { machineTime } from "./machine-time.js";

/** Thrown when the platform broke a promise. Ends the run. */
export class Violation extends Error {}

/** Thrown when the platform does not respond at all. */
export class Hang extends Violation {}

/** Time that the platform has to return to a correct state, in milliseconds. Only a defect exceeds it. */
const patience = 120_000;

/**
 * Repeats the observation until it finds nothing wrong.
 *
 * @param observe returns what is wrong, or undefined. A thrown error counts as wrong, except a Violation.
 * @throws Violation when something is still wrong after two minutes, or longer on a busy machine.
 */
export const eventually = async (what: string, observe: () => Promise<string | undefined>): Promise<void> => {
  let wrong: string | undefined;
  for (const deadline = machineTime() + patience; machineTime() < deadline;) {
    try {
      wrong = await observe();
      if (wrong === undefined) return;
    } catch (error) {
      if (error instanceof Violation) throw error;
      wrong = error instanceof Error ? error.message : String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Violation(`${what}: ${wrong ?? ""}`);
};
