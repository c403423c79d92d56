type DepositBarProps = {
  /** The text of the bar for screen readers. */
  label: string;
  /** Amounts in wei. */
  total: string;
  minimum: string;
  cap: string;
};

const width = 1_000;
const toPart = (amount: bigint, whole: bigint) => Number((amount * BigInt(width)) / whole);

/** The deposits up to the cap, with a mark at the minimum. */
export function DepositBar({ label, ...amounts }: DepositBarProps) {
  const [total, minimum, cap] = [BigInt(amounts.total), BigInt(amounts.minimum), BigInt(amounts.cap)];
  const filled = total > cap ? width : toPart(total, cap);
  const mark = toPart(minimum, cap);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} 12`}
      preserveAspectRatio="none"
      className="h-3 w-full rounded-sm border border-line bg-sunken"
    >
      <rect width={filled} height={12} className={total >= minimum ? "fill-buy" : "fill-accent"} />
      {mark < width ? <rect x={mark} width={4} height={12} className="fill-ink" /> : null}
    </svg>
  );
}
