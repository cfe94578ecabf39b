import { createClient } from "@mgmt/sdk";

/** Prints every project of the workspace with its databases. Lists fetch further pages as needed. */
const { MGMT_BASE_URL: baseUrl = "http://127.0.0.1:4300", MGMT_TOKEN: token = "" } = process.env;
const client = createClient({ baseUrl, token });

for await (const project of client.projects.list()) {
  console.log(`${project.name}  ${project.id}`);
  for await (const database of client.projects.databases.list(project.id)) {
    console.log(`  ${database.name}  ${database.status}  ${database.region?.id ?? "-"}`);
  }
}
