import type { IndexedToken } from "@slipway/protocol/indexed";
import {
  columnSorts,
  type ExploreOrder,
  getColumnDirection,
  getDirection,
  pressColumn,
  reverseOrder,
} from "../../data/exploreOrder.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { type Column, headRow, toHeadClasses } from "../../ui/dataTable.tsx";
import { Icon } from "../../ui/icon.tsx";

type OrderProps = { order: ExploreOrder; onOrder: (order: ExploreOrder) => void };

/** Shows the direction of the order, and reverses it: a phone has no header for most orders. */
export function OrderButton({ order, onOrder }: OrderProps) {
  const { tokenList: text } = useMessages();
  const direction = getDirection(order);
  const isTime = order.sort === "new" || order.sort === "last_trade";
  return (
    <Button size="sm" onClick={() => onOrder(reverseOrder(order))}>
      <Icon name={direction === "asc" ? "arrowUp" : "arrowDown"} size={12} />
      {text.directions[isTime ? "time" : "value"][direction]}
    </Button>
  );
}

/** The headers of the token table. A header with an order is a button: it orders by its column, then reverses the order. */
export function SortedHead({ columns, order, onOrder }: OrderProps & { columns: readonly Column<IndexedToken>[] }) {
  return (
    <tr className={headRow}>
      {columns.map((column) => {
        const direction = getColumnDirection(column.key, order);
        return (
          <th
            key={column.key}
            scope="col"
            aria-sort={direction === null ? undefined : direction === "asc" ? "ascending" : "descending"}
            className={`h-10 ${toHeadClasses(column)}`}
          >
            {columnSorts[column.key] === undefined ? (
              column.header
            ) : (
              <button
                type="button"
                onClick={() => onOrder(pressColumn(column.key, order))}
                className={`group -mx-1 inline-flex min-h-8 cursor-pointer items-center gap-0.5 rounded-sm px-1 font-semibold hover:text-ink ${column.numeric ? "flex-row-reverse" : ""} ${direction === null ? "" : "text-ink"}`}
              >
                {column.header}
                <Icon
                  name={direction === "asc" ? "arrowUp" : "arrowDown"}
                  size={12}
                  className={
                    direction === null ? "opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60" : ""
                  }
                />
              </button>
            )}
          </th>
        );
      })}
    </tr>
  );
}
