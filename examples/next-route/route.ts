import { createClient } from "@mgmt/sdk";
import { answerOf, badRequest } from "./error-answer.js";

// `app/api/shops/route.ts` of a Next.js app; nothing in it is Next's own. Ask for a login before, as for every other page:
// whoever reaches this route makes databases in your workspace.

/** Made when asked: a build loads this module too, and has no credential. */
const connect = () =>
  createClient({
    baseUrl: process.env.MGMT_BASE_URL ?? "",
    token: process.env.MGMT_TOKEN ?? "",
  });

/** Of each call: it ends with the request that it is for, and soon enough for somebody who waits. */
const callOf = ({ signal }: Request) => ({ signal, timeoutMs: 5_000 });

/** `?shop=…`: the shop's project with its databases. 404 when there is none. */
export async function GET(request: Request): Promise<Response> {
  const shop = new URL(request.url).searchParams.get("shop");
  if (!isName(shop)) return badRequest("?shop= must be a name of 1 to 255 characters.");
  try {
    const client = connect();
    const call = callOf(request);
    const [project] = await client.projects.list({ logicalId: shop }, call).toArray({ limit: 1 });
    if (!project) return Response.json({ error: { code: "shop:not_found" } }, { status: 404 });
    const databases = await client.projects.databases.list(project.id, {}, call).toArray();
    const shown = databases.map(({ id, status }) => ({ id, status }));
    return Response.json({ projectId: project.id, databases: shown });
  } catch (error) {
    return answerOf(error);
  }
}

/** `{ "shop": … }`: the shop's project with its database, made if they are not there. 201 when this call has made one. */
export async function POST(request: Request): Promise<Response> {
  const shop = await shopOf(request);
  if (shop === undefined) return badRequest('The body must be {"shop": a name of 1 to 255 characters}.');
  try {
    const client = connect();
    const call = callOf(request);
    const project = await client.projects.ensure(
      { logicalId: shop, name: shop, createDatabase: false },
      call,
    );
    const projectId = project.resource.id;
    const database = await client.databases.ensure({ projectId, logicalId: "orders", name: "orders" }, call);
    // Field by field: the answer of a create has a connection string in it.
    const { id, status } = database.resource;
    const answer = { projectId, databases: [{ id, status }] };
    return Response.json(answer, { status: project.created || database.created ? 201 : 200 });
  } catch (error) {
    return answerOf(error);
  }
}

const shopOf = async (request: Request): Promise<string | undefined> => {
  const body: unknown = await request.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || !("shop" in body)) return undefined;
  return isName(body.shop) ? body.shop : undefined;
};

const isName = (value: unknown): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= 255;
