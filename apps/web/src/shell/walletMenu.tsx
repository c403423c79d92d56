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
  /** The button, with the address as it is shown and in full. */
  renderTrigger: (shown: string, full: string) => ReactElement;
};

/**
 * The connected account with its checksum (EIP-55), and what can be done with it. Loaded when an account is connected: the
 * hash of the checksum is too large for a first page.
 */
export function WalletMenu({ address, renderTrigger }: WalletMenuProps) {
  const { walletButton: text } = useMessages();
  const { connection } = useConnection();
  const { status, session } = useSession();
  const navigate = useNavigate();
  const full = getAddress(address);
  const [failure, setFailure] = useState<unknown>(null);
  /** Whoever leaves a shared browser must know that it did not work. */
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
    { key: "forecast", label: text.forecast, onSelect: () => void navigate({ to: "/forecast" }) },
    { key: "alerts", label: text.alerts, onSelect: () => void navigate({ to: "/alerts" }) },
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
