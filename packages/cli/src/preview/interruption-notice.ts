import type { Context } from "../input/context.js";

/** The changes that an unfinished command has made so far. */
export interface PreviewProgress {
  /** The branch in the project, once it exists or may exist. */
  branch?: string;
  /** Whether the request that creates the database was sent. */
  hasSentCreate?: boolean;
  /** Id of the database, once it is known. */
  databaseId?: string;
  /** Id of a database that was deleted. */
  deletedId?: string;
}

/** Reports which resources exist and how to continue, if the command was interrupted after it had changed something. */
export const explainInterruption = (
  { branch, hasSentCreate, databaseId, deletedId }: PreviewProgress,
  { output, signal }: Pick<Context, "output" | "signal">,
): void => {
  if (!signal.aborted || branch === undefined) return;
  const stateSentence =
    databaseId !== undefined
      ? `Database ${databaseId} of ${branch} exists, and becomes ready in the background.`
      : hasSentCreate
        ? `The branch ${branch} of the project exists, and its database may have been created.`
        : `The branch ${branch} of the project may exist, without a database.`;
  const deletedSentence = deletedId === undefined ? "" : `Database ${deletedId} was deleted. `;
  const nextCommands = ["up", "down"].map((name) => ["mgmt", "preview", name, "--branch", branch]);
  const message = `${deletedSentence}${stateSentence} The same mgmt preview up continues; mgmt preview down deletes what exists.`;
  output.notice({
    code: "preview:interrupted",
    message,
    branch,
    ...(databaseId !== undefined && { databaseId }),
    next: nextCommands,
  });
};
