import type { Database } from "../generated/types.js";

/** How to continue after an error. */
export interface ResumeOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call; as for the call itself, 600,000 if absent. */
  timeoutMs?: number | undefined;
}

/** What exists after a call that connects has failed, and how to continue. Printing it shows no secret. */
export interface ConnectResume {
  /** Absent if the call is one of a database. */
  readonly projectId?: string;
  readonly databaseId: string;
  /** Waits again, and returns what the failed call would have returned. Its errors have a `resume`, too. */
  connect(options?: ResumeOptions): Promise<{
    readonly database: Database;
    /** Secret: keep it out of logs. */
    readonly connectionString: string;
  }>;
}
