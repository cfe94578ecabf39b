import type { Context } from "../input/context.js";
import type { Notice } from "../output/messages.js";
import { listWrongPrefixMessages } from "./messages.js";
import type { GeneratedCommand } from "../contract/generated-command.js";

/** Points out ids with the wrong prefix when the service does not find or accept them. Prints `notFoundNotice` after a 404. */
export const withIdHints = async (
  command: GeneratedCommand,
  target: Readonly<Record<string, string>>,
  { output }: Context,
  action: () => PromiseLike<unknown>,
  notFoundNotice?: Notice,
): Promise<void> => {
  try {
    await action();
  } catch (error) {
    const status = error instanceof Error && "status" in error ? Number(error.status) : undefined;
    if (status === 404 && notFoundNotice) output.notice(notFoundNotice);
    if (status === 404 || status === 422) {
      listWrongPrefixMessages(command, target).forEach((message) => output.info(message));
    }
    throw error;
  }
};
