import { Link } from "@tanstack/react-router";
import { shortenAddress } from "../format/figures.ts";
import { CopyButton } from "./copyButton.tsx";

type AddressProps = {
  value: string;
  /** Where it leads: the page of the wallet, by default, or of the token, or nowhere. */
  to?: "wallet" | "token" | null;
  copy?: boolean;
  className?: string;
};

/** An address in short; title and copy have all of it. */
export function Address({ value, to = "wallet", copy = false, className = "" }: AddressProps) {
  const style = `font-semibold underline-offset-4 ${to === null ? "" : "hover:underline"}`;
  const params = { address: value };
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap ${className}`}>
      {to === null ? (
        <span title={value} className={style}>
          {shortenAddress(value)}
        </span>
      ) : (
        <Link
          to={to === "wallet" ? "/wallet/$address" : "/t/$address"}
          params={params}
          preload={false}
          title={value}
          className={style}
        >
          {shortenAddress(value)}
        </Link>
      )}
      {copy ? <CopyButton text={value} label={value} /> : null}
    </span>
  );
}
