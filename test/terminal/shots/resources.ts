import type { Place } from "../place.js";
import { asks, changes, choices, reads, type Shot } from "../shot.js";

const id =
  (before: string, name: string, after = "") =>
  ({ ids }: Place): string[] =>
    [...before.split(" "), ids[name] ?? "", ...after.split(" ")].filter(Boolean);

const acme = { tenant: "acme" } as const;
const empty = { tenant: "empty" } as const;
/** The end of the question for a name, which may be broken into two lines. */
const question = /to\s+confirm:/;
const confirms = (name: string) => ({ keys: [{ when: question, type: `${name}\r` }] });
const agrees = { keys: [{ when: /Continue\?/, type: "y\r" }] };
const declines = { keys: [{ when: question, type: "no\r" }] };

export const projectShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt projects": [reads("help", "projects --help")],
  "mgmt projects list": [
    reads("projects", "projects list", acme),
    reads("no projects", "projects list", empty),
    reads("one page", "projects list --limit 3", acme),
    reads("chosen fields, which are all shown", "projects list --fields id,name", { ...acme, isData: true }),
    reads("a limit that is too small", "projects list --limit 0", empty),
  ],
  "mgmt projects create": [
    reads("help", "projects create --help"),
    changes("with its database", "projects create shop --region eu-central-1 --wait", empty),
    reads("a dry run", "projects create shop --dry-run", { ...empty, isData: true }),
    reads("an unknown region", "projects create shop --region mars", empty),
  ],
  "mgmt projects ensure": [
    changes("a new one", "projects ensure shop --logical-id shop", empty),
    reads("an existing one", "projects ensure webshop --logical-id webshop"),
  ],
  "mgmt projects get": [
    reads("by name", "projects get webshop"),
    reads("as YAML", "projects get webshop --output yaml", { isData: true }),
    reads("an unknown name", "projects get nope", acme),
    asks("a picker with a search", "projects get", choices, acme),
    asks("a search in a picker", "projects get", /❯ billing[^\n]*\n\s*\n/, {
      ...acme,
      keys: [{ when: choices, type: "bill" }],
    }),
    asks("a picker of one", "projects get", choices),
    reads("a picker without a choice", "projects get", empty),
  ],
  "mgmt projects update": [
    changes("a name", "projects update webshop --name shop"),
    reads("no field", "projects update webshop"),
  ],
  "mgmt projects delete": [
    asks("the question", "projects delete webshop", question),
    changes("confirmed", "projects delete webshop", confirms("webshop")),
    reads("declined", "projects delete webshop", declines),
  ],
  "mgmt projects transfer": [
    changes("confirmed", "projects transfer webshop --recipient-access-token-file recipient.txt", {
      ...agrees,
      prepare: async (place) => {
        const { token } = await place.service.createTenant("Globex");
        place.write("recipient.txt", token);
      },
    }),
    asks("without the token of the recipient", "projects transfer webshop", /token/i),
  ],
  "mgmt projects databases list": [reads("databases", "projects databases list webshop")],
  "mgmt projects databases create": [
    changes("by name", "projects databases create webshop analytics --wait"),
  ],
  "mgmt projects branches list": [reads("branches", "projects branches list webshop")],
  "mgmt projects branches create": [
    changes("by name", "projects branches create webshop feature/search"),
    reads("a name that is taken", "projects branches create webshop feature/cart"),
  ],
  "mgmt projects branches ensure": [
    reads("an existing one", "projects branches ensure webshop feature/cart"),
  ],
};

export const databaseShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt databases list": [
    reads("databases", "databases list"),
    reads("no databases", "databases list", empty),
    reads("as CSV", "databases list --output csv", { isData: true }),
  ],
  "mgmt databases create": [
    asks("a picker of projects", "databases create analytics", choices, acme),
    changes("with the first choice", "databases create analytics --wait", {
      keys: [{ when: choices, type: "\r" }],
    }),
    changes("in a project", "databases create analytics --project-id webshop"),
  ],
  "mgmt databases ensure": [
    changes("a new one", "databases ensure analytics --project-id webshop --logical-id analytics"),
  ],
  "mgmt databases get": [
    reads("by name", "databases get webshop/reports"),
    reads("an unknown name", "databases get webshop/nope"),
    asks("a picker", "databases get", choices),
  ],
  "mgmt databases update": [changes("a name", "databases update webshop/reports --name figures")],
  "mgmt databases delete": [
    asks("the question", "databases delete webshop/reports", question),
    changes("confirmed", "databases delete webshop/reports", confirms("reports")),
  ],
  "mgmt databases restore": [
    changes(
      "confirmed",
      ({ ids }) => [
        ..."databases restore webshop/reports --wait --source-database-id webshop/reports".split(" "),
        ...["--source-backup-id", ids["backup"] ?? ""],
      ],
      agrees,
    ),
    asks("a picker of backups", "databases restore webshop/reports", choices),
  ],
  "mgmt databases backups list": [
    reads("backups", "databases backups list webshop/reports"),
    reads("no backups", id("databases backups list", "defaultDatabase")),
  ],
  "mgmt databases usage get": [reads("a database without use", "databases usage get webshop/reports")],
  "mgmt databases connections list": [reads("connections", "databases connections list webshop/reports")],
  "mgmt databases connections create": [
    changes("by name", "databases connections create webshop/reports importer"),
  ],
};

export const connectionShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt connections list": [
    reads("connections", "connections list"),
    reads("no connections", "connections list", empty),
  ],
  "mgmt connections create": [
    changes("by name", "connections create importer --database-id webshop/reports"),
    asks("a picker of databases", "connections create importer", choices),
  ],
  "mgmt connections get": [
    reads("by id", id("connections get", "connection")),
    asks("a picker", "connections get", choices),
  ],
  "mgmt connections delete": [
    asks("the question", id("connections delete", "connection"), question),
    changes("confirmed", id("connections delete", "connection", "--yes")),
  ],
  "mgmt connections rotate": [
    asks("the question", id("connections rotate", "connection"), /Continue\?/),
    changes("confirmed", id("connections rotate", "connection"), agrees),
  ],
};

export const branchShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt branches get": [
    reads("by name", "branches get webshop/@feature/cart"),
    asks("a picker", "branches get", choices),
  ],
  "mgmt branches update": [changes("the default", "branches update webshop/@feature/cart --is-default")],
  "mgmt branches delete": [
    asks("the question", "branches delete webshop/@feature/cart", question),
    changes("confirmed", "branches delete webshop/@feature/cart --yes"),
  ],
};

const setRunning = async (service: Place["service"], deployment = ""): Promise<void> => {
  await service.control("PUT", `/deployments/${deployment}/status`, { status: "running" });
};

export const serviceShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt services list": [reads("services", "services list"), reads("none", "services list", empty)],
  "mgmt services create": [
    changes("by name", "services create api --project-id webshop"),
    asks("a picker of projects", "services create api", choices),
  ],
  "mgmt services ensure": [reads("an existing one", "services ensure web --project-id webshop")],
  "mgmt services get": [reads("by name", "services get webshop/web")],
  "mgmt services update": [changes("a name", "services update webshop/web --display-name shop")],
  "mgmt services delete": [
    asks("the question", "services delete webshop/web", question),
    changes("confirmed", "services delete webshop/web --yes"),
  ],
  "mgmt services promote": [
    changes("a running deployment", id("services promote webshop/web", "deployment", "--wait"), {
      prepare: ({ service, ids }) => setRunning(service, ids["deployment"]),
    }),
    reads("a deployment that is not running", id("services promote webshop/web", "deployment")),
  ],
  "mgmt services deployments list": [reads("deployments", "services deployments list webshop/web")],
  "mgmt services deployments create": [
    changes("with a port", "services deployments create webshop/web --port-mapping-http 3000"),
  ],
  "mgmt apps list": [
    reads("help of a deprecated command", "apps list --help"),
    reads("services", "apps list"),
  ],
  "mgmt deployments get": [reads("by id", id("deployments get", "deployment"))],
  "mgmt deployments delete": [
    asks("the question", id("deployments delete", "deployment"), question),
    changes("confirmed", id("deployments delete", "deployment", "--yes")),
  ],
  "mgmt deployments start": [changes("a new one", id("deployments start", "deployment", "--wait"))],
  "mgmt deployments stop": [
    changes("a running one", id("deployments stop", "deployment", "--wait"), {
      prepare: ({ service, ids }) => setRunning(service, ids["deployment"]),
    }),
    reads("one that does not run", id("deployments stop", "deployment")),
  ],
};
