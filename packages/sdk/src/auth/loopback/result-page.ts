import { createHash } from "node:crypto";
import { resultPageStyle } from "./result-page-style.js";
import type { ResultPage } from "./result-page-texts.js";

const logoSvg =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9" fill="#3043cf"/>' +
  '<path d="M9 22V11l7 7 7-7v11" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>';

const iconUrl = `data:image/svg+xml,${encodeURIComponent(logoSvg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '))}`;

/** SVG paths of the icons in the circle: a check mark, a cross or a dash. */
const outcomeIconPaths: Readonly<Record<ResultPage["outcome"], string>> = {
  success: "m14.5 22.5 5 5 10-11",
  error: "m16 16 12 12m0-12L16 28",
  neutral: "M14.5 22h15",
};

const renderOutcomeIcon = (outcome: ResultPage["outcome"]): string =>
  `<svg class="${outcome}" viewBox="0 0 44 44" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="3" ` +
  `stroke-linecap="round" stroke-linejoin="round"><circle cx="22" cy="22" r="20"/><path d="${outcomeIconPaths[outcome]}"/></svg>`;

const escapeHtml = (content: string): string =>
  content.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const renderErrorNote = ({ error }: ResultPage): string =>
  error === undefined
    ? ""
    : `<p class="note">${escapeHtml(error.message)}. <code>${escapeHtml(error.code)}</code></p>`;

/** Returns a complete HTML page that has no scripts and loads no resources. */
export const renderPage = (page: ResultPage): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
  `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">` +
  `<title>${escapeHtml(page.title)} · mgmt</title><link rel="icon" href="${iconUrl}"><style>${resultPageStyle}</style></head>` +
  `<body><header>${logoSvg} mgmt</header><main>${renderOutcomeIcon(page.outcome)}` +
  `<h1>${escapeHtml(page.title)}</h1><p>${escapeHtml(page.text)}</p>${renderErrorNote(page)}</main></body></html>`;

const styleDigest = createHash("sha256").update(resultPageStyle).digest("base64");

/**
 * Headers that protect the authorization code in the URL of the page: the page is not cached, sends no referrer and
 * loads nothing that could read the URL.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleDigest}'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  connection: "close",
};
