import { type Interruptions, words } from "../interrupted.js";
import { databaseManifest, manifest } from "../manifest.js";
import type { Place } from "../place.js";
import {
  waits,
  withMergedPreview,
  withOldDump,
  withPreview,
  withProject,
  withRepository,
} from "../preparations.js";
import { changes, reads, type Shot } from "../shot.js";

const withManifest = (place: Place): void => place.write("mgmt.yaml", manifest);

export const provisioningShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt export": [reads("a project", "export webshop", { isData: true })],
  "mgmt usage": [reads("a period of no length", "usage --since 0")],
  "mgmt plan": [
    reads("changes", "plan", { prepare: withManifest }),
    reads("without a manifest", "plan"),
    reads("a manifest with a mistake", "plan", {
      prepare: (place) => place.write("mgmt.yaml", manifest.replace("services", "servces")),
    }),
  ],
  "mgmt apply": [
    changes("confirmed", "apply --yes", { prepare: withManifest }),
    reads("without a manifest", "apply"),
  ],
  "mgmt rehearse": [
    reads("a command", "rehearse -- mgmt projects list", { prepare: withManifest }),
    reads("a command that fails", "rehearse -- false", { prepare: withManifest }),
  ],
  "mgmt preview up": [
    changes("for the branch", "preview up", { prepare: withRepository }),
    changes("an existing one", "preview up", { prepare: withPreview }),
    reads("outside of a repository", "preview up", { prepare: withProject }),
  ],
  "mgmt preview list": [
    changes("previews", "preview list", { prepare: withPreview }),
    reads("no previews", "preview list", { prepare: withRepository }),
  ],
  "mgmt preview diff": [
    changes("with a program that is too old", "preview diff", {
      prepare: async (place) => {
        await withPreview(place);
        withOldDump(place);
      },
    }),
    reads("without a preview", "preview diff", { prepare: withRepository }),
  ],
  "mgmt preview reset": [
    changes("confirmed", "preview reset --yes", { prepare: withPreview }),
    reads("without a preview", "preview reset --yes", { prepare: withRepository }),
  ],
  "mgmt preview down": [
    changes("confirmed", "preview down --yes", { prepare: withPreview }),
    reads("without a preview", "preview down --yes", { prepare: withRepository }),
  ],
  "mgmt preview prune": [
    changes("a preview that stays", "preview prune --yes", { prepare: withPreview }),
    reads("no previews", "preview prune --yes", { prepare: withRepository }),
  ],
};

export const provisioningInterruptions: Interruptions = {
  "mgmt rehearse": {
    line: (place) => ["rehearse", "--", "sh", "-c", waits(place)],
    prepare: (place) => place.write("mgmt.yaml", databaseManifest),
    runs: true,
  },
  "mgmt apply": {
    line: words("apply --yes"),
    prepare: (place) => place.write("mgmt.yaml", databaseManifest),
    before: "projects.list",
    sent: "databases.create",
    hasSteps: true,
  },
  "mgmt preview down": { line: words("preview down --yes"), prepare: withPreview, sent: "databases.delete" },
  "mgmt preview prune": {
    line: words("preview prune --min-age 0s --yes"),
    prepare: withMergedPreview,
    sent: "databases.delete",
  },
  "mgmt preview reset": {
    line: words("preview reset --branch feature/search --project-id {project} --yes"),
    prepare: async (place) => {
      const line = [
        "preview",
        "up",
        "--branch",
        "feature/search",
        "--project-id",
        place.ids["project"] ?? "",
      ];
      await place.run(line).ending;
    },
    sent: "databases.create",
    waiting: "databases.get",
  },
  "mgmt preview up": {
    line: words("preview up --branch feature/search --project-id {project}"),
    sent: "databases.create",
    waiting: "databases.get",
  },
  "mgmt preview list": "passive",
  "mgmt preview diff": "passive",
};
