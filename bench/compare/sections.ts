import type { Section } from "./row.js";
import { aborts } from "./rows/aborts.js";
import { connections } from "./rows/connections.js";
import { editor } from "./rows/editor.js";
import { failures } from "./rows/failures.js";
import { options } from "./rows/options.js";
import { results } from "./rows/results.js";
import { size } from "./rows/size.js";

export const sections: readonly Section[] = [size, connections, editor, options, failures, aborts, results];
