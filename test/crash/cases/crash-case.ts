/** What a case gets. */
export interface CaseContext {
  /** A directory for its files, which exists, and which every account can enter. */
  readonly directory: string;
  /** How long processes are suspended, in milliseconds. */
  readonly suspension: number;
  /** The network is cut at every byte whose number is a multiple of this. */
  readonly every: number;
  log(line: string): void;
}

/** A fault other than a kill. */
export interface CrashCase {
  readonly name: string;
  /** @throws Violation when the platform, the SDK, or the CLI broke a promise. */
  run(context: CaseContext): Promise<void>;
}
