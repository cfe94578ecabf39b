import { databaseManifest } from "./manifest.js";
import type { Place } from "./place.js";
import {
  withDump,
  withMergedPreview,
  withPreview,
  withProfiles,
  withRepository,
  withoutConnections,
  withoutCredential,
} from "./preparations.js";
import { choices } from "./shot.js";

/** A question that a command asks. */
export interface Question {
  readonly title: string;
  readonly line: string;
  /** What is on the screen when it is asked. */
  readonly when: RegExp;
  readonly tenant?: "empty";
  readonly prepare?: (place: Place) => void | Promise<void>;
}

const continues = /Continue\?/;

const withToken = async (place: Place): Promise<void> =>
  place.write("token.txt", (await place.service.createTenant("Globex")).token);

const question = (
  title: string,
  line: string,
  when: RegExp,
  others: Pick<Question, "tenant" | "prepare"> = {},
): Question => ({ title, line, when, ...others });

/** Every kind of question, and every question of a hand-written command. */
export const questions: readonly Question[] = [
  question("a picker with a search", "projects get", choices),
  question("a search in a picker", "projects get", /❯/),
  question("a picker", "databases get", choices),
  question("a question for a name", "databases delete webshop/reports", /to\s+confirm:/),
  question("a yes or no", "projects transfer webshop --recipient-access-token-file token.txt", continues, {
    prepare: withToken,
  }),
  question("a hidden text", "projects transfer webshop", /token/i),
  question("a text", "workspaces service-tokens create", /Name:/),
  question("the database to connect to", "psql", choices, { prepare: withDump }),
  question("the address of a login", "login --no-browser", /Paste the URL/, {
    prepare: withoutCredential,
  }),
  question("the token of a login", "login --with-token", /Token:/, { prepare: withoutCredential }),
  question("the profile to switch to", "auth switch", choices, { prepare: withProfiles }),
  question("the project to link", "link", choices),
  question("whether to create a project", "init", /Create a project/),
  question("the name of a new project", "init", /Name of the new project/, { tenant: "empty" }),
  question("whether to write an env file", "init --project-id webshop", /Write DATABASE_URL/),
  question("whether to change .gitignore", "init --project-id webshop --no-env", /Add \.mgmt/, {
    prepare: withRepository,
  }),
  question("whether to apply", "apply", continues, {
    prepare: (place) => place.write("mgmt.yaml", databaseManifest),
  }),
  question("whether to create a connection", "connection-string webshop/reports", continues, {
    prepare: withoutConnections,
  }),
  question("the database to import", "db import webshop/reports", /import:/, { prepare: withDump }),
  question("whether to copy", "db copy webshop/reports webshop/main/webshop", continues, {
    prepare: withDump,
  }),
  question("whether to reset a preview", "preview reset", continues, { prepare: withPreview }),
  question("whether to delete a preview", "preview down", continues, { prepare: withPreview }),
  question("whether to delete previews", "preview prune --min-age 0s", continues, {
    prepare: withMergedPreview,
  }),
];
