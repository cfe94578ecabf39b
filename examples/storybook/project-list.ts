import { type MgmtClient, MgmtError } from "@mgmt/sdk";

/** Shows the names of all projects in an element, or why it cannot. */
export const showProjects = async (
  element: HTMLElement,
  { projects }: Pick<MgmtClient, "projects">,
): Promise<void> => {
  element.textContent = "Loading …";
  try {
    const all = await projects.list().toArray();
    const list = document.createElement("ul");
    for (const { name } of all) {
      const item = document.createElement("li");
      item.textContent = name;
      list.append(item);
    }
    element.replaceChildren(all.length > 0 ? list : "There are no projects.");
  } catch (error) {
    if (!(error instanceof MgmtError)) throw error;
    element.textContent = `The projects cannot be shown now. ${error.message} (${error.code})`;
  }
};
