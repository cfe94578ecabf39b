import { expect, it } from "vitest";
import { type Journey, inOrder, journeysOf } from "./journey.js";

const app = "docs/quickstart/app.md";
const tests = "docs/quickstart/tests.md";
const guide = (name: string): string => `docs/guides/${name}.md`;

/** A journey as nested lists of pages. Pages that are not chosen are in parentheses. */
const outline = ({ page, isChosen, next }: Journey): unknown[] => [
  isChosen ? page : `(${page})`,
  ...next.map(outline),
];

it("follows a page once for all pages that continue it", () => {
  expect(journeysOf([guide("client"), app]).map(outline)).toEqual([[app, [guide("client")]]]);
});

it("follows two pages once for all pages that continue both, apart from those that continue only one", () => {
  const both = [guide("authentication"), guide("errors")];
  const journeys = journeysOf([...both, guide("client"), guide("testing"), tests]);
  expect(journeys.map(outline)).toEqual([
    [`(${app})`, [`(${tests})`, ...both.map((page) => [page])], [guide("client")]],
    [tests, [guide("testing")]],
  ]);
});

it("leaves a page that uninstalls for last", () => {
  const terminal = "docs/quickstart/terminal.md";
  const [uninstall, scripts] = [guide("reset-and-uninstall"), guide("scripts")];
  expect(journeysOf([uninstall, scripts]).map(outline)).toEqual([[`(${terminal})`, [scripts], [uninstall]]]);
});

it("begins with the longest journey, and leaves those that wait for a port for last", () => {
  const [worker, vite] = ["examples/worker/README.md", "docs/frameworks/vite.md"];
  const journeys = journeysOf([worker, vite, tests, guide("testing"), app, guide("client"), guide("ensure")]);
  expect(journeys.sort(inOrder).map(({ page }) => page)).toEqual([app, tests, vite, worker]);
});
