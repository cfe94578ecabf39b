import { createHash } from "node:crypto";

const style = [
  ":root{color-scheme:light dark;font:1.125rem/1.5 system-ui,sans-serif}",
  "body{margin:0;min-height:100vh;display:grid;place-items:center}",
  "main{padding:2rem;max-width:36rem}h1{font-size:1.5rem;margin:0 0 .5rem}p{margin:0}",
].join("");

/** What the browser shows when it has come back to the program: plain, whole, without script, loading nothing. */
export interface ClosingPage {
  title: string;
  text: string;
}

export const pages = {
  done: { title: "You are logged in", text: "You can close this window and go back to the program." },
  failed: (reason: string): ClosingPage => ({ title: "The login failed", text: `${reason}.` }),
  stranger: {
    title: "Nothing to see here",
    text: "This is not the answer to the login that the program waits for. It goes on waiting.",
  },
} as const;

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export const printPage = ({ title, text }: ClosingPage): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${escape(title)}</title><style>${style}</style>` +
  `<main><h1>${escape(title)}</h1><p>${escape(text)}</p></main></html>`;

/** The address of the page holds the code: it is not kept, not sent on, and nothing may be loaded that could read it. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
};
