import { relative, resolve } from "node:path";
import { importsIn, importsOf } from "./import-graph.js";

/** Returns the shortest path of imports from a file with this text back to itself. */
const cycleThrough = (file, text) => {
  const previous = new Map();
  const queue = [file];
  for (const current of queue) {
    for (const next of current === file ? importsIn(file, text) : importsOf(current)) {
      if (next === file) {
        const path = [file];
        for (let each = current; each !== file; each = previous.get(each)) path.unshift(each);
        return [file, ...path];
      }
      if (previous.has(next)) continue;
      previous.set(next, current);
      queue.push(next);
    }
  }
  return undefined;
};

/** Reports a module that imports itself through others. Unlike `import-x/no-cycle`, it follows type-only and conditional imports too. */
export const noImportCycle = {
  meta: { type: "problem", schema: [], messages: { cycle: "Import cycle: {{path}}" } },
  create: (context) => ({
    Program(node) {
      const cycle = cycleThrough(resolve(context.filename), context.sourceCode.text);
      if (!cycle) return;
      const path = cycle.map((file) => relative(context.cwd, file)).join(" → ");
      context.report({ node, messageId: "cycle", data: { path } });
    },
  }),
};
