import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { shortenAddress } from "../format/figures.ts";
import { useMessages } from "../messages/useMessages.ts";
import { useChain, useConnection, useSession } from "../session/services.tsx";
import { useOpenConnect } from "../session/servicesProvider.tsx";
import { useNetwork } from "../session/useNetwork.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

const Menu = lazy(() => import("../ui/menu.tsx").then((module) => ({ default: module.Menu })));

/** The connected account and what can be done with it, or the way to connect one. */
export function WalletButton() {
  const { walletButton: text } = useMessages();
  const { status, address, connection } = useConnection();
  const { status: sessionStatus, session } = useSession();
  const chain = useChain();
  const network = useNetwork();
  const openConnect = useOpenConnect();
  const navigate = useNavigate();
  if (status !== "connected" || address === null) {
    return (
      <Button variant="primary" onClick={openConnect}>
        {text.connect}
      </Button>
    );
  }
  const trigger = (
    <Button title={address}>
      <Avatar address={address} size={20} />
      <span className="sr-only">{text.account}</span>
      {shortenAddress(address)}
      <Icon name="chevronDown" size={12} />
    </Button>
  );
  const leave = () => {
    connection.disconnect();
    if (sessionStatus === "signed_in") void session.signOut().catch(() => undefined);
  };
  const items = [
    {
      key: "wallet",
      label: text.myWallet,
      onSelect: () => void navigate({ to: "/wallet/$address", params: { address } }),
    },
    { key: "account", label: text.account, onSelect: () => void navigate({ to: "/account/{-$section}" }) },
    { key: "drafts", label: text.drafts, onSelect: () => void navigate({ to: "/drafts" }) },
    { key: "fees", label: text.fees, onSelect: () => void navigate({ to: "/fees" }) },
    { key: "forecast", label: text.forecast, onSelect: () => void navigate({ to: "/forecast" }) },
    { key: "alerts", label: text.alerts, onSelect: () => void navigate({ to: "/alerts" }) },
    { key: "copy", label: text.copyAddress, onSelect: () => void navigator.clipboard.writeText(address) },
    ...(sessionStatus === "signed_in"
      ? [{ key: "sign_out", label: text.signOut, onSelect: () => void session.signOut().catch(() => undefined) }]
      : []),
    { key: "disconnect", label: text.disconnect, onSelect: leave },
  ];
  return (
    <span className="flex items-center gap-2">
      {network.state === "wrong_chain" && chain !== null ? (
        <Button
          variant="primary"
          busy={network.isSwitching}
          onClick={() => void network.switchTo()}
          className="hidden sm:inline-flex"
        >
          {text.switchTo(chain.name)}
        </Button>
      ) : null}
      <Suspense fallback={trigger}>
        <Menu trigger={trigger} items={items} />
      </Suspense>
    </span>
  );
}
