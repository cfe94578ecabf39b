/** Size from which copying files is faster, in bytes. */
const minFileCopyBytes = 32 * 1024 * 1024;

/** The first release whose `WAL_LOG` loses no later changes of the source (https://www.postgresql.org/docs/release/15.3/). */
const safeLogVersion = 150_003;

/** What the choice of the way to copy a database depends on. */
export interface CopySource {
  /** The version of Postgres as `server_version_num`, such as 150003. */
  version: number;
  /** The size in bytes, as text. Null when the platform may not read it. */
  bytes: string | null;
}

/**
 * Returns the option of `CREATE DATABASE` by which Postgres copies `template0`, which nobody changes. Where it waits for the disk, it writes
 * the blocks to its log: copying the files would force two checkpoints of the whole cluster, for which all databases pay. Without `fsync`,
 * checkpoints are cheap, and the files are faster.
 *
 * @param version the version of Postgres as `server_version_num`. Before 15, it can only copy files.
 */
export const buildEmptyStrategy = ({ version, fsync }: { version: number; fsync: boolean }): string => {
  if (version < 150_000) return "";
  return fsync ? "strategy wal_log" : "strategy file_copy";
};

/** Returns the option of `CREATE DATABASE` by which Postgres copies a database: the files of a large one, otherwise through its log. */
export const buildCopyStrategy = ({ version, bytes }: CopySource): string => {
  if (version < 150_000) return "";
  const isSmall = bytes !== null && Number(bytes) < minFileCopyBytes;
  return isSmall && version >= safeLogVersion ? "strategy wal_log" : "strategy file_copy";
};
