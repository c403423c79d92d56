import { useNavigate } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { getAddress } from "viem/utils";
import { shortenAddress } from "../format/figures.ts";
import { useMessages } from "../messages/useMessages.ts";
import { useConnection, useSession } from "../session/services.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { Menu } from "../ui/menu.tsx";
import type { Hex } from "../wallet/provider.ts";

type WalletMenuProps = {
  address: Hex;
  /** Renders the menu's button, with the short and the full address. */
  renderTrigger: (shown: string, full: string) => ReactElement;
};

/**
 * The menu of the connected account, with its checksummed address (EIP-55). It loads after the connection, because the
 * checksum's hash function is too large for the first load.
 */
export function WalletMenu({ address, renderTrigger }: WalletMenuProps) {
  const { walletButton: text } = useMessages();
  const { connection } = useConnection();
  const { status, session } = useSession();
  const navigate = useNavigate();
  const full = getAddress(address);
  const [failure, setFailure] = useState<unknown>(null);
  /** Signs out. Shows a failure, because a user who leaves a shared browser must know that the session remains. */
  const leave = async (disconnects: boolean) => {
    setFailure(null);
    try {
      if (status === "signed_in") await session.signOut();
      if (disconnects) connection.disconnect();
    } catch (error) {
      setFailure(error);
    }
  };
  const signOut = () => void leave(false);
  const items = [
    {
      key: "wallet",
      label: text.myWallet,
      onSelect: () => void navigate({ to: "/wallet/$address", params: { address: full } }),
    },
    { key: "account", label: text.account, onSelect: () => void navigate({ to: "/account/{-$section}" }) },
    { key: "drafts", label: text.drafts, onSelect: () => void navigate({ to: "/drafts" }) },
    { key: "fees", label: text.fees, onSelect: () => void navigate({ to: "/fees" }) },
    { key: "copy", label: text.copyAddress, onSelect: () => void navigator.clipboard.writeText(full) },
    ...(status === "signed_in" ? [{ key: "sign_out", label: text.signOut, onSelect: signOut }] : []),
    { key: "disconnect", label: text.disconnect, onSelect: () => void leave(true) },
  ];
  return (
    <>
      <Menu trigger={renderTrigger(shortenAddress(full), full)} items={items} />
      {failure === null ? null : (
        <div className="fixed end-3 top-16 z-20 w-[min(24rem,calc(100vw-1.5rem))]">
          <ErrorNote error={failure} title={text.signOutFailed} onRetry={signOut} />
        </div>
      )}
    </>
  );
}
