import { Link } from "@tanstack/react-router";
import { shortenAddress } from "../format/figures.ts";
import { CopyButton } from "./copyButton.tsx";

type AddressProps = {
  value: string;
  /** The link target: the wallet's page (default), the token's page, or none. */
  to?: "wallet" | "token" | null;
  copy?: boolean;
  className?: string;
};

/** A short address; its title and the copy button have the full address. */
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
