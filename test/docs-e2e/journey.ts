import { readPage } from "./page.js";

/** A page that a reader follows, and then the pages that continue it, each from where it ends. */
export interface Journey {
  page: string;
  /** Whether the page is one to follow. Otherwise it only comes before such pages. */
  isChosen: boolean;
  next: Journey[];
}

/** Returns whether a page removes what the pages that continue the same ones need. */
const removes = (page: string): boolean =>
  readPage(page).own.some((step) => step.do === "run" && /\bnpm uninstall\b/.test(step.command));

/**
 * Returns how to follow pages so that no page is followed twice from the same beginning: those that continue the same pages share these.
 */
export const journeysOf = (pages: readonly string[]): Journey[] => {
  const first: Journey[] = [];
  const last = pages.filter(removes);
  for (const page of [...pages.filter((each) => !last.includes(each)), ...last]) {
    let journeys = first;
    let journey: Journey | undefined;
    for (const each of [...readPage(page).before, page]) {
      journey = journeys.find((known) => known.page === each);
      if (!journey) journeys.push((journey = { page: each, isChosen: false, next: [] }));
      journeys = journey.next;
    }
    if (journey) journey.isChosen = true;
  }
  return first;
};

const serves = ({ page, next }: Journey): boolean =>
  readPage(page).own.some((step) => step.do === "serve") || next.some(serves);

/**
 * Compares journeys by when they should begin: the longest first, because the others end while it lasts, and those that start a service
 * last, because they wait for its ports while others can be followed.
 */
export const inOrder = (one: Journey, other: Journey): number =>
  other.next.length - one.next.length || Number(serves(one)) - Number(serves(other));
