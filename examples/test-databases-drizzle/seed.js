import { drizzle } from "drizzle-orm/node-postgres";
import { author } from "./schema.js";

const client = drizzle(process.env.DATABASE_URL);
await client.insert(author).values([{ name: "Ada" }, { name: "Grace" }]);
await client.$client.end();
