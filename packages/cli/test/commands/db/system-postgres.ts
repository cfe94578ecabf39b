import { delimiter, join } from "node:path";
import { isProgram, listProgramFolders } from "@mgmt/internal/programs/program-files";
import { expandVersionPattern, defaultSystemDirectories } from "@mgmt/internal/programs/default-directories";

const programs = ["postgres", "initdb", "psql", "pg_dump", "pg_restore"];

const folders = [
  ...listProgramFolders(process.env),
  ...(await Promise.all(defaultSystemDirectories.map(expandVersionPattern))).flat(),
];

/** A folder of this system with a server and the client programs of the same version. npm packages have no client programs. */
export const postgresFolder = folders.find((folder) =>
  programs.every((name) => isProgram(join(folder, name))),
);

/** The programs of this system, those of the folder first. */
export const postgresPath = [postgresFolder, process.env["PATH"]].filter(Boolean).join(delimiter);

/** Returns the title of tests that need the folder, with the reason if they are skipped. */
export const withPostgres = (title: string): string =>
  postgresFolder === undefined
    ? `${title} (skipped: no folder has ${programs.join(", ")}; install postgresql with the package manager)`
    : title;
