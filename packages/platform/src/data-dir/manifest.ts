import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../platform-error.js";
import { writeAtomically } from "./atomic-file.js";

/** `platform.json`: what a data directory is, and what stays the same between runs. */
export interface Manifest {
  format: 1;
  /** Port of the HTTP server in the last run. */
  port: number | null;
  postgres: {
    /** Major version that made the cluster: no other can read it. */
    major: number;
    /** Part of every connection string. */
    port: number;
    /** The superuser's. */
    password: string;
    /** False until the cluster is the platform's own and the first state is kept: until then it can be made again. */
    complete: boolean;
  };
}

const fileIn = (dataDir: string): string => join(dataDir, "platform.json");

/** @throws when there is one, but not a whole one. */
export const readManifest = async (dataDir: string): Promise<Manifest | undefined> => {
  let text: string;
  try {
    text = await readFile(fileIn(dataDir), "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  if (!isManifest(value)) throw new Error("it has another form than this version of the platform knows");
  return value;
};

export const writeManifest = (dataDir: string, manifest: Manifest): Promise<void> =>
  writeAtomically(fileIn(dataDir), `${JSON.stringify(manifest, undefined, 2)}\n`, { durable: true });

const isManifest = (value: unknown): value is Manifest => {
  if (!isObject(value) || value["format"] !== 1) return false;
  const { port, postgres } = value;
  return (
    (port === null || typeof port === "number") &&
    isObject(postgres) &&
    typeof postgres["major"] === "number" &&
    typeof postgres["port"] === "number" &&
    typeof postgres["password"] === "string" &&
    typeof postgres["complete"] === "boolean"
  );
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
