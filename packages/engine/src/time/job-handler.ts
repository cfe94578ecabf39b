import type { World } from "../request/world.js";

/**
 * Does the work of one kind of job. The row may be gone or have changed since the job was scheduled; the job then does nothing.
 * An error is a defect: a job that can fail records the failure in its row.
 */
export type JobHandler = (world: World, subject: string) => void | Promise<void>;

/** Handlers by kind of job. */
export type JobHandlers = Readonly<Record<string, JobHandler>>;
