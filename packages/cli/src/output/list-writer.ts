import type { Column } from "./columns.js";
import type { Style } from "./style.js";

/** Renders the pages of a list one after the other, so that a list of any length needs the memory of one page. */
export interface ListWriter {
  /** Returns the text of a page. May be empty. */
  renderPage(items: readonly unknown[]): string;
  /** Titles of the columns that did not fit. */
  readonly hiddenTitles?: readonly string[];
}

/** Which columns a list has when it is printed as a table. */
export interface ListLayout {
  /** Component schema of the items. */
  readonly resource?: string | undefined;
  /** The columns that the user chose. Default: the columns of the schema. */
  readonly columns?: readonly Column[] | undefined;
  readonly style: Style;
  /** Whether the text is written to a terminal, for a person. */
  readonly isTerminal: boolean;
  /** Columns of the terminal. Absent if the width does not matter. */
  readonly width?: number | undefined;
}
