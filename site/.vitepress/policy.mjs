import { createHash } from "node:crypto";

/**
 * Adds a content security policy to a page. Its scripts are those of the website and the inline ones that the page has now; a program
 * of the page "Try it" is a module from a blob: URL, which needs neither `unsafe-inline` nor `unsafe-eval`, and can connect to no server.
 * @param {string} html
 */
export const withPolicy = (html) => {
  const inline = [...html.matchAll(/<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
  const policy = [
    "default-src 'none'",
    ["script-src 'self' blob:", ...new Set(inline)].join(" "),
    "worker-src blob:",
    "style-src 'self'",
    // The colors of code are attributes.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const start = '<meta charset="utf-8">';
  if (!html.includes(start)) throw new Error(`The page has no ${start}, which the policy follows`);
  return html.replace(start, `${start}\n<meta http-equiv="Content-Security-Policy" content="${policy}">`);
};
