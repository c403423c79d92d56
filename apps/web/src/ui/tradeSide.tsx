import { Icon } from "./icon.tsx";

/** Buy or sell: word, arrow and colour have the same meaning. */
export const TradeSide = ({ side, label }: { side: "buy" | "sell"; label: string }) => (
  <span
    className={`inline-flex items-center gap-1 font-semibold whitespace-nowrap ${side === "buy" ? "text-buy" : "text-sell"}`}
  >
    <Icon name={side === "buy" ? "arrowUp" : "arrowDown"} size={12} />
    {label}
  </span>
);
