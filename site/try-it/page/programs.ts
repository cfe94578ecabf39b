/** Programs beside that of the README, by their titles. */
export const otherPrograms: Readonly<Record<string, string>> = {
  "Wait for a database": `import { createClient } from "@mgmt/sdk";
import { cliLogin } from "@mgmt/sdk/auth/node";

const client = createClient(await cliLogin());
const { database } = await client.projects.create({ name: "blog" });
// It takes half a minute, or one click on the clock.
const ready = await client.databases.waitUntilReady(database?.id ?? "", {
  onProgress: ({ status }, { elapsedMs }) => console.log(status, elapsedMs),
});
console.log(ready.name, ready.status);
`,
  "Handle an error": `import { createClient, isApiError } from "@mgmt/sdk";
import { cliLogin } from "@mgmt/sdk/auth/node";

const client = createClient(await cliLogin());
try {
  await client.projects.get("proj_gone");
} catch (error) {
  if (!isApiError(error, "project:not_found")) throw error;
  console.log(error.message, error.hint);
}
await client.projects.create({ name: "" }); // not caught
`,
};
