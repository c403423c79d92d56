import { memo, type ReactNode } from "react";
import { Skeleton } from "./skeleton.tsx";

/** The page width from which a column is visible; a phone shows only the essential columns. */
type ColumnPriority = "always" | "sm" | "md" | "lg" | "xl";

export type Column<Row> = {
  key: string;
  header: ReactNode;
  render: (row: Row, index: number) => ReactNode;
  /** Aligns numbers to the end, so that their digits align. */
  numeric?: boolean;
  priority?: ColumnPriority;
  className?: string;
};

type DataTableProps<Row> = {
  /** The table's name, for screen readers. */
  caption: string;
  /** Must be stable if the table changes often, so that unchanged rows do not render again. */
  columns: readonly Column<Row>[];
  /** Undefined while loading: then `skeletonRows` rows of the same height appear. */
  rows: readonly Row[] | undefined;
  getKey: (row: Row) => string;
  skeletonRows?: number;
  /** Shown if there are no rows: what to do. */
  empty?: ReactNode;
  /** The values are old; the page explains it elsewhere. */
  stale?: boolean;
  rowClassName?: string;
  /** The index of the first row, for a table that continues another one. */
  start?: number;
  /** Only screen readers get the header, because another table above has the same columns. */
  headless?: boolean;
  /** Columns have the widths of their classes, so that tables below each other align. */
  fixed?: boolean;
  /** Replaces the row of headers. */
  renderHead?: ((head: ReactNode) => ReactNode) | undefined;
};

const visibility: Readonly<Record<ColumnPriority, string>> = {
  always: "",
  sm: "hidden sm:table-cell",
  md: "hidden md:table-cell",
  lg: "hidden lg:table-cell",
  xl: "hidden xl:table-cell",
};
const toClasses = <Row,>({ numeric, priority = "always", className = "" }: Column<Row>) =>
  `${visibility[priority]} ${numeric ? "text-end" : "text-start"} ${className}`;

const cell = "px-2 py-1.5";

export const headRow = "border-b border-line";
export const toHeadClasses = <Row,>(column: Column<Row>) =>
  `${cell} text-xs font-semibold whitespace-nowrap text-muted ${toClasses(column)}`;

type RowProps<Row> = { row: Row; index: number; columns: readonly Column<Row>[]; className: string };

function DrawnRow<Row>({ row, index, columns, className }: RowProps<Row>) {
  return (
    <tr
      className={`relative border-b border-line last:border-0 hover:bg-sunken has-focus-visible:bg-sunken ${className}`}
    >
      {columns.map((column) => (
        <td key={column.key} className={`${cell} ${toClasses(column)}`}>
          {column.render(row, index)}
        </td>
      ))}
    </tr>
  );
}

/** Renders only if its data or the columns change, because every message of the stream renders the table. */
const TableRow = memo(DrawnRow) as typeof DrawnRow;

/** A table that hides columns on narrow pages and never scrolls sideways. A link can cover its row: `after:inset-0`. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, getKey, skeletonRows = 10, empty, stale = false, rowClassName = "h-14" } = props;
  const { start = 0, headless = false, fixed = false, renderHead } = props;
  // Without a rank column, rows get index 0, so that new rows above do not render them again.
  const hasRank = columns.some(({ render }) => render.length > 1);
  const head = (
    <tr className={headRow}>
      {columns.map((column) => (
        <th key={column.key} scope="col" className={`${headless ? "h-0 py-0" : "h-10"} ${toHeadClasses(column)}`}>
          {headless ? <span className="sr-only">{column.header}</span> : column.header}
        </th>
      ))}
    </tr>
  );
  return (
    <div className="px-2">
      <table
        className={`w-full text-sm ${fixed ? "table-fixed" : ""} ${stale ? "text-muted" : ""}`}
        aria-busy={rows === undefined}
      >
        <caption className="sr-only">{caption}</caption>
        <thead>{renderHead?.(head) ?? head}</thead>
        <tbody>
          {rows?.map((row, index) => (
            <TableRow
              key={getKey(row)}
              row={row}
              index={hasRank ? start + index : 0}
              columns={columns}
              className={rowClassName}
            />
          )) ??
            [...Array(skeletonRows).keys()].map((number) => (
              <tr key={number} className={`border-b border-line last:border-0 ${rowClassName}`}>
                {columns.map((column) => (
                  <td key={column.key} className={`${cell} ${toClasses(column)}`}>
                    <Skeleton className={`h-4 w-full ${column.numeric ? "ms-auto max-w-16" : "max-w-32"}`} />
                  </td>
                ))}
              </tr>
            ))}
          {rows?.length === 0 ? (
            <tr>
              <td colSpan={columns.length} className="px-4 py-12 text-center text-muted">
                {empty}
              </td>
            </tr>
          ) : null}
        </tbody>
      </table>
    </div>
  );
}
