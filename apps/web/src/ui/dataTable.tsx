import { memo, type ReactNode } from "react";
import { Skeleton } from "./skeleton.tsx";

/** From which width on a column is shown: on a phone only those that decide. */
type ColumnPriority = "always" | "sm" | "md" | "lg" | "xl";

export type Column<Row> = {
  key: string;
  header: ReactNode;
  render: (row: Row, index: number) => ReactNode;
  /** Numbers stand at the end, so that their digits align. */
  numeric?: boolean;
  priority?: ColumnPriority;
  className?: string;
};

type DataTableProps<Row> = {
  /** What the table lists, read out before it. */
  caption: string;
  /** The same ones as before where the table changes often: only then are unchanged rows left as they are. */
  columns: readonly Column<Row>[];
  /** Undefined while loading: as many rows of the same height as `skeletonRows` are drawn. */
  rows: readonly Row[] | undefined;
  getKey: (row: Row) => string;
  skeletonRows?: number;
  /** Shown instead of rows when there are none: it says what to do. */
  empty?: ReactNode;
  /** Old values, which the page says elsewhere. */
  stale?: boolean;
  rowClassName?: string;
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

/** Drawn again only when its data change, or the columns: every message of the stream draws the table. */
const TableRow = memo(DrawnRow) as typeof DrawnRow;

/** A table that drops columns on narrow pages and never scrolls sideways. A link in a row may cover it: `after:inset-0`. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, getKey, skeletonRows = 10, empty, stale = false, rowClassName = "h-14" } = props;
  // The others would be drawn again for every row above them.
  const hasRank = columns.some(({ render }) => render.length > 1);
  return (
    <div className="px-2">
      <table className={`w-full text-sm ${stale ? "text-muted" : ""}`} aria-busy={rows === undefined}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line">
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={`${cell} h-10 text-xs font-semibold whitespace-nowrap text-muted ${toClasses(column)}`}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows?.map((row, index) => (
            <TableRow
              key={getKey(row)}
              row={row}
              index={hasRank ? index : 0}
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
