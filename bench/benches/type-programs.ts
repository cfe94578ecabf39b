/** Ten lines each: a client, a list, a get by id, a create, and a property of the results. */
export const typePrograms: Readonly<Record<string, string>> = {
  "@mgmt/sdk": `import { createClient, isApiError } from "@mgmt/sdk";
const client = createClient({ baseUrl: "https://api.example.com", token: "t" });
for await (const project of client.projects.list({ limit: 10 })) console.log(project.name.length);
const project = await client.projects.get("p");
const created = await client.projects.create({ name: "shop" });
export const names: string[] = [project.name, created.name];
await client.projects.delete("p");
export const codeOf = (error: unknown): string => (isApiError(error) ? error.code : "none");
export const { data } = await client.databases.list({ projectId: project.id });
export const databases: string[] = data.map(({ name }) => name);
`,
  "@prisma/management-api-sdk": `import { createManagementApiClient } from "@prisma/management-api-sdk";
const client = createManagementApiClient({ baseUrl: "https://api.example.com", token: "t" });
const { data: page } = await client.GET("/v1/projects", { params: { query: { limit: 10 } } });
for (const project of page?.data ?? []) console.log(project.name.length);
const { data: project } = await client.GET("/v1/projects/{id}", { params: { path: { id: "p" } } });
const { data: created } = await client.POST("/v1/projects", { body: { name: "shop" } });
export const names: (string | undefined)[] = [project?.data.name, created?.data.name];
await client.DELETE("/v1/projects/{id}", { params: { path: { id: "p" } } });
const { data } = await client.GET("/v1/databases", { params: { query: { projectId: "p" } } });
export const databases: string[] = (data?.data ?? []).map(({ name }) => name);
`,
  "@neon/sdk": `import { createNeonClient, isNeonError } from "@neon/sdk";
const neon = createNeonClient({ baseUrl: "https://api.example.com", apiKey: "t", throwOnError: true });
for await (const project of neon.projects.list({ limit: 10 })) console.log(project.name.length);
const project = await neon.projects.get({ projectId: "p" });
const created = await neon.projects.create({ name: "shop" });
export const names: string[] = [project.name, created.name];
await neon.projects.delete({ projectId: "p" });
export const kindOf = (error: unknown): string => (isNeonError(error) ? error.kind : "none");
export const data = await neon.branches.list({ projectId: project.id }).all();
export const branches: string[] = data.map(({ name }) => name);
`,
  stripe: `import { Stripe } from "stripe";
const stripe = new Stripe("t", { host: "api.example.com" });
for await (const customer of stripe.customers.list({ limit: 10 })) console.log(customer.id.length);
const customer = await stripe.customers.retrieve("c");
const created = await stripe.customers.create({ name: "shop" });
export const ids: string[] = [customer.id, created.id];
await stripe.customers.del("c");
export const codeOf = (error: unknown) => (error instanceof Stripe.errors.StripeError ? error.code : "none");
export const { data } = await stripe.invoices.list({ customer: customer.id });
export const invoices: (string | null)[] = data.map(({ number }) => number);
`,
  openai: `import { APIError, OpenAI } from "openai";
const client = new OpenAI({ baseURL: "https://api.example.com", apiKey: "t" });
for await (const model of client.models.list()) console.log(model.id.length);
const model = await client.models.retrieve("m");
const created = await client.vectorStores.create({ name: "shop" });
export const ids: string[] = [model.id, created.id];
await client.models.delete("p");
export const codeOf = (error: unknown) => (error instanceof APIError ? error.code : "none");
export const { data } = await client.files.list({ limit: 10 });
export const files: string[] = data.map(({ filename }) => filename);
`,
  "@octokit/rest": `import { Octokit } from "@octokit/rest";
const octokit = new Octokit({ baseUrl: "https://api.example.com", auth: "t" });
const { data: page } = await octokit.rest.repos.listForOrg({ org: "mgmt", per_page: 10 });
for (const repo of page) console.log(repo.name.length);
const { data: repo } = await octokit.rest.repos.get({ owner: "mgmt", repo: "r" });
const { data: created } = await octokit.rest.repos.createInOrg({ org: "mgmt", name: "shop" });
export const names: string[] = [repo.name, created.name];
await octokit.rest.repos.delete({ owner: "mgmt", repo: "r" });
const { data } = await octokit.rest.issues.listForRepo({ owner: "mgmt", repo: repo.name });
export const titles: string[] = data.map(({ title }) => title);
`,
};
