import { type Command, Option } from "commander";
import { assertPathId } from "../input/ids.js";

/** Adds the flag that replaces the default project in a command which has no such field of its own. */
export const addProjectOption = (command: Command): void => {
  const help = "project to look names up in, by id or name (or MGMT_PROJECT_ID)";
  command.addOption(
    new Option("--project-id <id>", help).argParser((id: string) => {
      assertPathId("--project-id", id);
      return id;
    }),
  );
};
