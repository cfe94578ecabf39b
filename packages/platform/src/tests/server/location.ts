import { join } from "node:path";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { platformErrors } from "../../errors/platform-error.js";
import { ensurePrivateCacheDir } from "../../machine/data-dir/directories.js";
import { findPostgresAccount } from "../../machine/data-dir/postgres-account.js";
import { type Binaries, findBinaries } from "../../machine/postgres/binaries.js";

/** Version of the registry and of the server's state. Increase it when they change: processes of other versions have their own server. */
const protocolVersion = 1;

/** Where the Postgres for tests is, and which one it is. */
export interface ServerLocation {
  /** Directory of its data, which only this user can read. */
  readonly directory: string;
  readonly binaries: Binaries;
}

/**
 * Finds the installed Postgres, and the directory for the test databases of its version.
 *
 * @param parent directory of the directories of all versions. Default: `test-databases` in the cache directory of this user.
 * @throws PlatformError `platform:no_postgres`, `platform:unsupported_system`, `platform:data_dir_unwritable`.
 */
export const locateServer = async (parent?: string): Promise<ServerLocation> => {
  if (process.platform === "win32") {
    throw platformErrors.unsupportedSystem(
      "Test databases do not run on Windows",
      "Run the tests in the Windows Subsystem for Linux.",
    );
  }
  const binaries = await findBinaries({
    choice: process.env["MGMT_POSTGRES"] || undefined,
    path: process.env["PATH"] ?? "",
    account: await findPostgresAccount(),
  });
  const directory = join(parent ?? (await findParent()), `${binaries.version}-${String(protocolVersion)}`);
  try {
    createDirectory(directory);
  } catch (error) {
    throw platformErrors.dataDirUnwritable(directory, error);
  }
  return { directory, binaries };
};

const findParent = async (): Promise<string> => {
  const cacheDirectory = await ensurePrivateCacheDir();
  if (cacheDirectory === undefined) throw platformErrors.testCacheUnwritable();
  return join(cacheDirectory, "test-databases");
};
