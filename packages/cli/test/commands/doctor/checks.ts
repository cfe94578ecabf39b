import type { Result } from "../../result.js";

interface Check {
  name: string;
  status: string;
  message: string;
  hint?: string;
  next: string[][];
}

/** Returns the checks that a run printed as JSON, by name. */
export const checksOf = ({ json }: Result): Record<string, Check> =>
  Object.fromEntries((json as Check[]).map((check) => [check.name, check]));
