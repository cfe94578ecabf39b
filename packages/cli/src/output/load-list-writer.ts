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
  const {
    CsvWriter,
    createIdWriter: nameWriter,
    createNdjsonWriter: ndjsonWriter,
  } = await import("./data-writers.js");
  if (format === "csv") return new CsvWriter(layout);
  if (format === "name") return nameWriter();
  const writer = ndjsonWriter();
  const fields = layout.columns?.map(({ path }) => path);
  if (!fields) return writer;
  const { pickFields } = await import("./selection.js");
  return { page: (items) => writer.page(items.map((item) => pickFields(item, fields))) };
};
