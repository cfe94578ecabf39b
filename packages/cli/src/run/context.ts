import type { Output } from "../output/output.js";
import type { Sources } from "../input/sources.js";

/** What a run of the command stands in. */
export interface Context {
  /** Of the package. */
  readonly version: string;
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  /** Aborted by Ctrl-C, with the error that the run then ends with. */
  readonly signal: AbortSignal;
  readonly sources: Sources;
}

/** Flags that every command takes. */
export interface GlobalFlags {
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly profile?: string;
  readonly yes?: boolean;
  /** Not yet checked. */
  readonly output?: string;
}
