import type { ListLayout, ListWriter } from "./list-writer.js";

/** Loads the writer of a format. */
export const loadListWriter = async (
  format: "table" | "csv" | "ndjson" | "name",
  layout: ListLayout,
): Promise<ListWriter> => {
  if (format === "table") {
    const { TableWriter } = await import("./tables.js");
    return new TableWriter(layout);
  }
  const { CsvWriter, createIdWriter, createNdjsonWriter } = await import("./data-writers.js");
  if (format === "csv") return new CsvWriter(layout);
  if (format === "name") return createIdWriter();
  const writer = createNdjsonWriter();
  const fields = layout.columns?.map(({ path }) => path);
  if (!fields) return writer;
  const { pickFields } = await import("./pick-fields.js");
  return { renderPage: (items) => writer.renderPage(items.map((item) => pickFields(item, fields))) };
};
