import { readFile, readdir } from "node:fs/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import { Client } from "pg";
import { PrismaClient } from "./generated/client.ts";

export const createClient = (connectionString) =>
  new PrismaClient({ adapter: new PrismaPg({ connectionString }) });

/** Runs the migrations as `prisma migrate deploy` does, without the program that it downloads. */
const migrate = async (connectionString) => {
  const client = new Client({ connectionString });
  await client.connect();
  const entries = await readdir("prisma/migrations", { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  for (const name of names.sort())
    await client.query(await readFile(`prisma/migrations/${name}/migration.sql`, "utf8"));
  await client.end();
};

/** Fills the template, of which each test gets a copy. */
export const setup = async ({ connectionString }) => {
  await migrate(connectionString);
  const client = createClient(connectionString);
  await client.author.createMany({ data: [{ name: "Ada" }, { name: "Grace" }] });
  await client.$disconnect();
};
