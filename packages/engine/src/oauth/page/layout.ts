import { Html, html } from "./html.js";
import { styles } from "./styles.js";

const logo = html`<svg viewBox="0 0 32 32" aria-hidden="true">
  <rect width="32" height="32" rx="9" fill="#3043cf" />
  <path
    d="M9 22V11l7 7 7-7v11"
    fill="none"
    stroke="#fff"
    stroke-width="3"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`;

const faviconUrl =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='9' fill='%233043cf'/%3E%3Cpath d='M9 22V11l7 7 7-7v11' fill='none' stroke='%23fff' stroke-width='3'/%3E%3C/svg%3E";

/** The content of the element must match the digest in the content security policy exactly. */
const styleElement = new Html(`<style>${styles}</style>`);

/** Renders a complete page around its main content. */
export const renderLayout = (title: string, main: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · mgmt</title>
        <link rel="icon" href="${faviconUrl}" />
        ${styleElement}
      </head>
      <body>
        <header>${logo} mgmt <span>on this machine</span></header>
        <main>${main}</main>
      </body>
    </html> `.text;
