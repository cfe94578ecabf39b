import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { pages } from "../docs/markdown.js";
import { capture } from "./capture.js";
import { manifest } from "./manifest.js";
import { pictureOf } from "./picture.js";
import { asks, choices, reads, type Shot } from "./shot.js";
import { TenantPool } from "./tenant-pool.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "docs/images");
const isUpdating = inject("updatesScreens");

interface Picture {
  readonly file: string;
  readonly shot: Shot;
  readonly columns: number;
  /** For people who do not see it. */
  readonly description: string;
}

const pictures: readonly Picture[] = [
  {
    file: "mgmt-help.svg",
    shot: reads("help", "--help"),
    columns: 80,
    description: "What mgmt --help prints",
  },
  {
    file: "mgmt-projects-list.svg",
    shot: reads("projects", "projects list", { tenant: "acme" }),
    columns: 100,
    description: "mgmt projects list prints a table with a row for each project",
  },
  {
    file: "mgmt-plan.svg",
    shot: reads("changes", "plan", { prepare: (place) => place.write("mgmt.yaml", manifest) }),
    columns: 100,
    description: "mgmt plan lists what it would create and change",
  },
  {
    file: "mgmt-databases-create.svg",
    shot: asks("a search", "databases create figures", /❯ billing/, {
      tenant: "acme",
      keys: [{ when: choices, type: "bi" }],
    }),
    columns: 80,
    description: "mgmt databases create asks for the project, and lists those that contain the letters typed",
  },
];

const [node] = inject("nodes");
describe("the screenshots in the docs", () => {
  let pool: TenantPool;
  beforeAll(async () => {
    if (node === undefined) throw new Error("There is no version of Node.js to test");
    pool = await TenantPool.start(node);
  });
  afterAll(() => pool.stop());

  it.concurrent.for(pictures)(
    "$file shows what the command shows",
    async ({ file, shot, columns, description }, { expect }) => {
      const { screen, words } = await pool.withPlace(shot, (place) => capture(shot, place, columns));
      const picture = pictureOf(screen, `mgmt ${words.join(" ")}`, description);
      if (isUpdating) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, file), picture);
      } else {
        expect(picture, "npm run test:e2e -- terminal pictures --update writes it").toBe(
          readFileSync(join(folder, file), "utf8"),
        );
      }
    },
  );

  it("the docs show every picture", () => {
    const text = pages.map((page) => readFileSync(join(root, page), "utf8")).join("\n");
    const shown = [...text.matchAll(/!\[[^\]]+\]\(([^)?]*\/mgmt-[^)?]+\.svg)/g)].map(([, path = ""]) =>
      basename(path),
    );
    expect(new Set(shown)).toEqual(new Set(pictures.map(({ file }) => file)));
  });
});
