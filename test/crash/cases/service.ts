import { MgmtDev } from "../mgmt-dev.js";
import { textAt } from "../outcome.js";
import { type Answer } from "../request.js";
import { Violation, eventually } from "../violation.js";

/** Calls the API, which must respond with this status. */
export const callOk = async (
  dev: MgmtDev,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> => {
  const answer = await dev.call(dev.tokens[0], method, path, body);
  if (answer.status >= 300) throw new Violation(`${method} ${path}: ${describe(answer)}`);
  return answer.body;
};

const describe = ({ status, body }: Answer): string => `${String(status)} ${JSON.stringify(body)}`;

/** A project with a database that is ready. */
export interface Made {
  projectId: string;
  databaseId: string;
  url: string;
}

/** Creates a project, and waits until its database is ready. */
export const makeProject = async (dev: MgmtDev, name: string): Promise<Made> => {
  const body = await callOk(dev, "POST", "/v1/projects", { name });
  const databaseId = textAt(body, "data", "database", "id");
  await isReady(dev, databaseId);
  return {
    projectId: textAt(body, "data", "id"),
    databaseId,
    url: textAt(body, "data", "database", "connectionString"),
  };
};

export const isReady = (dev: MgmtDev, databaseId: string): Promise<void> =>
  eventually(`The database ${databaseId}`, async () => {
    const { status, body } = await dev.call(dev.tokens[0], "GET", `/v1/databases/${databaseId}`);
    if (status === 404) throw new Violation(`The database ${databaseId} is lost`);
    const state = textAt(body, "data", "status");
    return state === "ready" ? undefined : state || String(status);
  });
