import { beforeAll } from "vitest";
import { ensureBuilt } from "../bin.js";
import { type Session, useSession } from "../terminal.js";

/** Returns a session with more projects than a list shows at once, and their ids by their names. Call it outside of tests and hooks. */
export const useProjectsToChoose = (): { session: Session; projects: ReadonlyMap<string, string> } => {
  const session = useSession();
  const projects = new Map<string, string>();
  beforeAll(async () => {
    await ensureBuilt();
    const names = [
      ...Array.from({ length: 12 }, (_, index) => `shop-${String(index)}`),
      "shop-1-old",
      "needle",
    ];
    for (const name of names) projects.set(name, (await session.server.engine.seed.project({ name })).id);
  });
  return { session, projects };
};
