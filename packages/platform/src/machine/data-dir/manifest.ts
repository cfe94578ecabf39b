import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { writeAtomically } from "./atomic-file.js";
import { readOwnedFile } from "./safe-file.js";

/** The format of the data directories that this version reads and writes. */
export const manifestFormat = 1;

/** The content of `platform.json`: marks a directory as a data directory and holds the values that stay between runs. */
export interface Manifest {
  format: typeof manifestFormat;
  /** Inode of the directory. It is another one in a copy. */
  directory: number;
  /** Port of the HTTP server in the last run. */
  port: number | null;
  postgres: {
    /** Major version of the cluster. Other versions cannot read it. */
    major: number;
    /** Port in the connection strings. */
    port: number;
    /** Port of Postgres itself in the last run. */
    directPort: number;
    /** Password of the superuser. */
    password: string;
    /** False until the first start has finished. Until then the cluster holds nothing and is created again. */
    complete: boolean;
  };
}

/** Thrown when the manifest, and so the directory, has a format that this version of the platform does not know. */
export class UnknownFormatError extends Error {}

/** The file that identifies a data directory and its version. */
export const manifestFileName = "platform.json";

const getManifestPath = (dataDir: string): string => join(dataDir, manifestFileName);

/**
 * Reads the manifest.
 *
 * @returns undefined when the file does not exist.
 * @throws UnknownFormatError; another error when the file exists but is not a valid manifest.
 */
export const readManifest = async (dataDir: string): Promise<Manifest | undefined> => {
  let text: string;
  try {
    text = await readOwnedFile(getManifestPath(dataDir));
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  if (isManifest(value)) return value;
  if (isObject(value) && "format" in value && value["format"] !== manifestFormat)
    throw new UnknownFormatError();
  throw new Error("it is not valid");
};

/** Writes the manifest of a data directory, so that it survives a power failure. */
export const writeManifest = (dataDir: string, manifest: Manifest): Promise<void> =>
  writeAtomically(getManifestPath(dataDir), `${JSON.stringify(manifest, undefined, 2)}\n`, {
    isDurable: true,
  });

/** Returns the number by which a manifest recognizes its directory. */
export const readDirectoryInode = async (dataDir: string): Promise<number> => (await stat(dataDir)).ino;

/** Returns whether a data directory with this manifest was copied, or restored from a backup, since its last run. */
export const isCopiedDir = async (dataDir: string, { directory }: Manifest): Promise<boolean> =>
  directory !== (await readDirectoryInode(dataDir));

const isManifest = (value: unknown): value is Manifest => {
  if (!isObject(value) || value["format"] !== manifestFormat) return false;
  const { port, postgres, directory } = value;
  return (
    typeof directory === "number" &&
    (port === null || typeof port === "number") &&
    isObject(postgres) &&
    typeof postgres["major"] === "number" &&
    typeof postgres["port"] === "number" &&
    typeof postgres["directPort"] === "number" &&
    typeof postgres["password"] === "string" &&
    typeof postgres["complete"] === "boolean"
  );
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
