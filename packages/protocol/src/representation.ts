import { z } from "zod";

/** The representation of an answer. Methods of the SDK read JSON. */
export const representation = z
  .enum(["json", "csv"])
  .default("json")
  .describe(
    "`csv`: the rows of the page as text/csv, with a header. Fields that a spreadsheet could read as a formula begin with `'`.",
  );
