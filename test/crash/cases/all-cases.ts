import { clock } from "./clock.js";
import { copiedDirectory } from "./copy.js";
import type { CrashCase } from "./crash-case.js";
import { cuts } from "./cuts.js";
import { readOnly } from "./read-only.js";
import { suspended } from "./suspended.js";

export const cases: readonly CrashCase[] = [suspended, clock, readOnly, copiedDirectory, cuts];
