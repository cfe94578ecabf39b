import { fileURLToPath } from "node:url";

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const root = fromRoot(".");
export const benchFolder = fromRoot("bench");
/** The compiled programs that benches start, so that no loader slows them down. */
export const programFolder = fromRoot("bench/dist");
export const mgmtProgram = fromRoot("packages/cli/dist/mgmt.js");
