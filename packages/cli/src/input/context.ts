import type { InputSources } from "./sources.js";
import type { Interruption } from "../system/interruption.js";
import type { Output } from "../output/output.js";
import type { InsecureUrlGuard } from "../transport/insecure-url-guard.js";
import type { UnconfirmedChangeTracker } from "../transport/unconfirmed-changes.js";
import type { CommandTrace } from "../tracing/command-trace.js";

/** A value that was given at a prompt. */
export interface PromptAnswer {
  /** The flag for it, with its dashes. Absent for an argument. */
  readonly flag?: string;
  readonly value: string;
}

/** The environment of one run of the command. */
export interface Context {
  /** Version of the package. */
  readonly version: string;
  readonly output: Output;
  readonly insecureUrls: InsecureUrlGuard;
  readonly env: NodeJS.ProcessEnv;
  /** The working directory. Paths are relative to it, and its link applies. */
  readonly cwd: string;
  /** The terminal that prompts use. Everything else reads through `sources` and writes through `output`. */
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  /** Aborted by Ctrl-C, SIGQUIT, SIGTERM and SIGHUP; the reason is the error that the run then ends with. */
  readonly signal: AbortSignal;
  readonly interruption: Interruption;
  readonly changeTracker: UnconfirmedChangeTracker;
  /** Absent unless the environment asks for a trace. */
  readonly trace?: CommandTrace | undefined;
  readonly sources: InputSources;
  /** The choices so far, so that the commands that help after a failure contain them. Never secrets. */
  readonly answers: PromptAnswer[];
  /** Absent where the command runs in another program. */
  readonly selfCommand?: SelfCommand | undefined;
}

/** A program and its first arguments, which start this command again. */
export type SelfCommand = readonly [string, ...string[]];

/** Flags that every command accepts, unless their comments name the commands. */
export interface GlobalFlags {
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly profile?: string;
  /** Default project, by id or name. Only commands that use one have the flag. */
  readonly projectId?: string;
  readonly yes?: boolean;
  /** The name of the resource to change, which confirms that where it is protected. */
  readonly confirm?: string;
  /** The name of the format, which is not validated yet. */
  readonly output?: string;
  /** A short form of `--output json`. */
  readonly json?: boolean;
  /** A short form of `--output csv`. */
  readonly csv?: boolean;
  /** The list of fields, which is not parsed yet. */
  readonly fields?: string;
  readonly query?: string;
  readonly jq?: string;
  readonly pager?: boolean;
  /** Send credentials to another machine unencrypted. */
  readonly insecure?: boolean;
  /** Always report which profile and project are used. */
  readonly verbose?: boolean;
  /** Print every request on standard error, without secrets. */
  readonly debug?: boolean;
}
