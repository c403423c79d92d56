import type { TokenName } from "@slipway/protocol/people";
import { Link } from "@tanstack/react-router";
import { toDisplayText } from "../../format/displayText.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { WarningMark } from "../../ui/icon.tsx";

/** Returns this service's small picture; null for a URL that the creator chose, whose server would see the visitor. */
const getStored = (image: string | null) =>
  image?.startsWith(`${location.origin}/media/`) ? image.replace(/\/256\.webp$/, "/64.webp") : null;

/** A token's picture and name as a link to its page. */
export function TokenLink({ token }: { token: TokenName }) {
  return (
    <Link
      to="/t/$address"
      params={{ address: token.address }}
      className="flex max-w-[32vw] min-w-0 items-center gap-2 hover:underline sm:max-w-80"
      title={toDisplayText(token.name)}
    >
      <Avatar address={token.address} image={getStored(token.image)} size={28} />
      <span className="min-w-0">
        <span className="flex items-center gap-1">
          <bdi className="line-clamp-2 font-semibold wrap-anywhere">{toDisplayText(token.symbol)}</bdi>
          {token.name_warning === null ? null : <WarningMark message={token.name_warning} />}
        </span>
        <bdi className="line-clamp-2 text-xs text-muted wrap-anywhere">{toDisplayText(token.name)}</bdi>
      </span>
    </Link>
  );
}
