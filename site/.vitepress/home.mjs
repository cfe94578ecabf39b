import { read } from "./sources.mjs";

/**
 * Returns the first page of the website. Its commands and programs are those of other pages, which are tested.
 */
export const homePage = () => {
  const app = sectionsOf(read("docs/quickstart/app.md"));
  const [program, printed] = app.find((section) => section.includes("createClient"))?.match(blocks) ?? [];
  if (printed === undefined) throw new Error("docs/quickstart/app.md has no program with what it prints");
  const quickstarts = installations();
  const terminal = quickstarts.find(({ page }) => page === "quickstart/terminal.md");
  if (!terminal) throw new Error("docs/README.md does not list docs/quickstart/terminal.md");
  return `---
layout: home
title: mgmt
titleTemplate: Projects and Postgres databases from code and the terminal
---

<main>
<div class="home-top">
<div>

# Projects and Postgres databases, from code and the terminal

A typed SDK, a command line, and the whole service on your machine, with a real Postgres database behind every connection string.

\`\`\`sh
${terminal.install}
mgmt dev
\`\`\`

<p class="home-links">
<a class="home-button" href="#get-started">Get started</a>
<a href="/docs/try-it">Try it</a>
<a href="/docs/why">Why mgmt</a>
<a href="/docs/cli/">Commands</a>
<a href="/docs/reference/">SDK methods</a>
</p>
</div>
<div>

![mgmt plan lists what it would create and change](docs/images/mgmt-plan.svg)

</div>
</div>

## A program

<div class="home-program">

${program}

<div>

It waits for the database, follows the pages of the list, and prints:

${printed}

It needs no account: \`mgmt dev\` runs the service on your machine. [Quickstart: app](docs/quickstart/app.md) has every step.

</div>
</div>

## Get started

No version is published yet: [install the packages from the repository](README.md#from-this-repository).

<div class="home-cards">

${quickstarts.map(printCard).join("\n\n")}

</div>
</main>
`;
};

const blocks = /^```[\s\S]*?^```$/gm;

/** @param {string} text */
const sectionsOf = (text) => text.split(/^## /m);

/** Returns the rows of the first table of docs/README.md. */
const installations = () =>
  [...read("docs/README.md").matchAll(/^\| (.+?) +\| `(.+?)` +\| \[.+?\]\((quickstart\/.+?)\) +\|$/gm)].map(
    ([, you = "", install = "", page = ""]) => ({ you, install, page }),
  );

/** @param {{ you: string, install: string, page: string }} quickstart */
const printCard = ({ you, install, page }) => `<div class="home-card">

### [${you.charAt(0).toUpperCase()}${you.slice(1)}](docs/${page})

\`\`\`sh
${install}
\`\`\`

</div>`;
