import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { answersFile } from "../scripts/answers-file.js";

/** Begins the record of what the reference server answers in this run; `scripts/check-answers.ts` reads it afterwards. */
export const setup = (): void => {
  rmSync(answersFile, { force: true });
  mkdirSync(dirname(answersFile), { recursive: true });
};
