import { expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import { findActionToConfirm, renderDoneMessage } from "./messages.js";

const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();

it.each([
  ["services delete", "service x"],
  ["apps delete", "service x"],
  ["workspaces service-tokens delete", "service token x"],
  ["databases delete", "database x"],
  ["workspaces integrations delete", "integration x"],
])("mgmt %s calls the resource the same before and after the deletion: %s", (words, resource) => {
  const command = definitions.find((definition) => definition.commandPath.join(" ") === words);
  if (command === undefined) throw new Error(`There is no command ${words}`);
  const target = { [command.arguments.at(-1)?.name ?? ""]: "x" };
  expect(findActionToConfirm(command, {}, [target])).toBe(`delete ${resource}`);
  expect(renderDoneMessage(command, target)).toBe(`Deleted ${resource}.`);
});
