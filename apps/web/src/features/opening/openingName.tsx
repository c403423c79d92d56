import type { Opening } from "@slipway/protocol/openings";
import { toDisplayText } from "../../format/displayText.ts";
import { shortenAddress } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";

type OpeningNameProps = {
  opening: Pick<Opening, "address" | "blocked" | "name" | "symbol">;
  /** Classes of the symbol. */
  symbolClass?: string;
};

/** The name and the symbol of an opening; a blocked one has neither, and shows its address. */
export function OpeningName({ opening, symbolClass = "text-muted" }: OpeningNameProps) {
  const { opening: text } = useMessages();
  const { address, blocked, name, symbol } = opening;
  if (blocked) return <span title={address}>{text.blockedName(shortenAddress(address))}</span>;
  return (
    <>
      <bdi className="max-w-full break-words">{toDisplayText(name)}</bdi>{" "}
      <bdi className={symbolClass}>{toDisplayText(symbol)}</bdi>
    </>
  );
}
