import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { answersFile } from "../scripts/answers-file.js";

/** Starts the record of the reference server's responses in this run, which `scripts/check-answers.ts` reads afterwards. */
export const setup = (): void => {
  rmSync(answersFile, { force: true });
  mkdirSync(dirname(answersFile), { recursive: true });
};
