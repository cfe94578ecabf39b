import { buildCspSource } from "./csp-source.js";
import { Html } from "./html.js";

/** Removes the fragment from the address bar. It contains the sign-in key, which a browser that has sent it before does not need. */
const script = `if (location.hash) history.replaceState(null, "", location.pathname + location.search);`;

/** The hash that allows this script, and no other, in the content security policy. */
export const fragmentScriptCspSource = buildCspSource(script);

/** The content of the element must match the digest in the content security policy exactly. */
export const fragmentScriptElement = new Html(`<script>${script}</script>`);
