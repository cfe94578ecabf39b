import { ProjectsResource, createPartialClient, safely } from "@mgmt/sdk/partial";

/** Bindings of the worker: one variable and one secret. */
interface Env {
  MGMT_BASE_URL: string;
  MGMT_TOKEN: string;
}

const json = (body: object, status = 200): Response => Response.json(body, { status });

/** Responds to `GET /projects?cursor=…` with a page of names. The bundle contains only one resource of the SDK. */
const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/projects") return json({ error: "Not found. Use /projects." }, 404);
    if (request.method !== "GET") {
      return Response.json({ error: "Only GET is allowed." }, { status: 405, headers: { allow: "GET" } });
    }

    const { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token } = env;
    const client = safely(createPartialClient({ projects: ProjectsResource }, { baseUrl, token }));
    const query = { limit: 20, cursor: searchParams.get("cursor") ?? "" };
    const { data: page, error } = await client.projects.list(query, { timeoutMs: 10_000 });
    if (error?.code === "validation:failed") return json({ error: "Invalid cursor." }, 400);
    if (error) {
      console.error(error.toString()); // contains no secret
      return json({ error: "Try again later." }, 503);
    }
    return json({ projects: page.data.map(({ id, name }) => ({ id, name })), cursor: page.nextCursor });
  },
};

export { worker as default };
