import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { responsesFile } from "../scripts/responses-file.js";

/**
 * Starts the record of the reference server's responses in this run, which `scripts/check-responses.ts` reads afterwards.
 * `MGMT_KEEP_RESPONSES` adds to the record of earlier runs instead.
 */
export const setup = (): void => {
  if (!process.env["MGMT_KEEP_RESPONSES"]) rmSync(responsesFile, { force: true });
  mkdirSync(dirname(responsesFile), { recursive: true });
};
