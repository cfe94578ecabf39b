import { groups } from "../../src/contract/generated/groups.js";
import type { Session } from "../terminal.js";

/** The operations that create a resource with an identity. */
export const creates = (await Promise.all(groups.map(({ load }) => load())))
  .flat()
  .filter(({ ensure }) => ensure);

/** Returns a command line that creates a resource in a new project. */
export const createLine = async ({ server }: Session, id: string, verb = "create"): Promise<string[]> => {
  const project = await server.engine.seed.project();
  const lines: Record<string, string[]> = {
    "projects.create": ["projects", verb, "--logical-id", `shop-${project.id}`],
    "databases.create": ["databases", verb, "--project-id", project.id, "--logical-id", "reports"],
    "projects.branches.create": ["projects", "branches", verb, project.id, "feature/cart"],
    "services.create": ["services", verb, "web", "--project-id", project.id, "--logical-id", "web"],
    "apps.create": ["apps", verb, "web", "--project-id", project.id],
  };
  const line = lines[id];
  if (!line) throw new Error(`There is no line for ${id}`);
  return [...line, "-o", "json"];
};
