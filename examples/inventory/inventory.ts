import { createClient } from "@mgmt/sdk";

/** Prints every project of the workspace with its databases. Reads `MGMT_BASE_URL` and `MGMT_TOKEN`. */
const client = createClient();

for await (const project of client.projects.list()) {
  console.log(`${project.name}  ${project.id}`);
  for await (const database of client.projects.databases.list(project.id)) {
    console.log(`  ${database.name}  ${database.status}  ${database.region?.id ?? "-"}`);
  }
}
