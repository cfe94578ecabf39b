import { basename, relative, resolve } from "node:path";
import { layers } from "./layers.js";
import { betweenFolders, importsBetweenFolders, leadsUpward, placeOf } from "./folder-imports.js";
import { importsIn } from "./import-graph.js";

/**
 * Reports an import of a folder that imports the folder of the file, and one that leads upward in the order of folders that the
 * package declares.
 */
export const noTwoWayFolders = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      twoWay: "{{from}} imports {{to}}, which imports {{from}}: {{other}}",
      upward: "{{from}} is a lower folder than {{to}} in scripts/lint/layers.js, and must not import it",
    },
  },
  create: (context) => ({
    Program(node) {
      const file = resolve(context.filename);
      const owner = placeOf(file)?.owner;
      if (owner === undefined) return;
      const order = layers[basename(owner)] ?? [];
      const others = importsBetweenFolders(owner).filter(({ importer }) => importer !== file);
      const imports = betweenFolders(file, importsIn(file, context.sourceCode.text));
      const arrows = new Map(imports.map((each) => [each.to, each]));
      for (const arrow of arrows.values()) {
        const { from, to } = arrow;
        const back = others.find((each) => each.from === to && each.to === from);
        if (back) {
          const other = relative(context.cwd, back.importer);
          context.report({ node, messageId: "twoWay", data: { from, to, other } });
        } else if (leadsUpward(arrow, order)) {
          context.report({ node, messageId: "upward", data: { from, to } });
        }
      }
    },
  }),
};
