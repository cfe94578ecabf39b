/** Size from which copying files is faster, in bytes: file by file, or by sharing their blocks. */
const minFileBytes = { copy: 32 * 1024 * 1024, clone: 16 * 1024 * 1024 };

/** The first release whose `WAL_LOG` loses no later changes of the source (https://www.postgresql.org/docs/release/15.3/). */
const safeLogVersion = 150_003;

/** The option of `CREATE DATABASE` by which Postgres copies all files of a database, those with its cached catalogs among them. */
export const fileStrategy = "strategy file_copy";

/** The properties of a source on which the copy strategy depends. */
export interface CopySource {
  /** The version of Postgres as `server_version_num`, such as 150003. */
  version: number;
  /** The size in bytes, as text, or null when the platform may not read it. */
  bytes: string | null;
  /** Whether copies of files share their blocks, and the platform may write what is not on disk before. */
  clones: boolean;
}

/**
 * Returns the option of `CREATE DATABASE` by which Postgres copies `template0`, which never changes. Where it waits for the disk, it writes
 * the blocks to its log: copying the files would force two checkpoints of the whole cluster, for which all databases pay. Without `fsync`,
 * checkpoints are cheap, and the files are faster.
 *
 * @param version the version of Postgres as `server_version_num`. Before 15, it can only copy files.
 */
export const buildEmptyStrategy = ({ version, fsync }: { version: number; fsync: boolean }): string => {
  if (version < 150_000) return "";
  return fsync ? "strategy wal_log" : fileStrategy;
};

const copiesFiles = ({ version, bytes, clones }: CopySource): boolean =>
  bytes === null || Number(bytes) >= minFileBytes[clones ? "clone" : "copy"] || version < safeLogVersion;

/** Returns the option of `CREATE DATABASE` by which Postgres copies a database: the files of a large one, otherwise through its log. */
export const buildCopyStrategy = (source: CopySource): string => {
  if (source.version < 150_000) return "";
  return copiesFiles(source) ? fileStrategy : "strategy wal_log";
};

/**
 * Returns whether to write all changes to the disk while clients still use the source. Postgres does so before it copies files, which
 * takes longer than cloning them.
 */
export const mustCheckpointFirst = (source: CopySource): boolean => source.clones && copiesFiles(source);
