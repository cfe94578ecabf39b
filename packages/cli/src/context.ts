import type { Sources } from "./input/sources.js";
import type { Output } from "./output/output.js";
import type { Encryption } from "./service/encryption.js";

/** What one run of the command works with. */
export interface Context {
  /** Version of the package. */
  readonly version: string;
  readonly output: Output;
  readonly encryption: Encryption;
  readonly env: NodeJS.ProcessEnv;
  /** The working directory. Paths are relative to it, and its link applies. */
  readonly cwd: string;
  /** The terminal that prompts use. Everything else reads through `sources` and writes through `output`. */
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  /** Aborted by Ctrl-C; the reason is the error that the run then ends with. */
  readonly signal: AbortSignal;
  readonly sources: Sources;
  /** The file of the command, to start it in the background. Absent where it runs in another program. */
  readonly entry?: string | undefined;
}

/** Flags that every command accepts. */
export interface GlobalFlags {
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly profile?: string;
  readonly yes?: boolean;
  /** Not checked yet. */
  readonly output?: string;
  /** Not parsed yet. */
  readonly fields?: string;
  readonly query?: string;
  readonly pager?: boolean;
  /** Send credentials to another machine unencrypted. */
  readonly insecure?: boolean;
  /** Print every request on standard error, without secrets. */
  readonly debug?: boolean;
}
