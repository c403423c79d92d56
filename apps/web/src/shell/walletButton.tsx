import { useRef } from "react";
import { shortenAddress } from "../format/figures.ts";
import { loadPageTexts } from "../messages/messages.ts";
import { useMessages } from "../messages/useMessages.ts";
import { useChain, useConnection } from "../session/services.tsx";
import { useOpenConnect } from "../session/servicesProvider.tsx";
import { useNetwork } from "../session/useNetwork.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { lazyPart } from "../ui/lazyPart.tsx";

const WalletMenu = lazyPart(
  () => import("./walletMenu.tsx"),
  (module) => module.WalletMenu,
);

const SwitchNetworkButton = lazyPart(
  () => import("./switchNetworkButton.tsx"),
  (module) => module.SwitchNetworkButton,
  loadPageTexts,
);

/** The menu of the connected account, or the button to connect a wallet. */
export function WalletButton() {
  const { walletButton: text } = useMessages();
  const { status, address } = useConnection();
  const chain = useChain();
  const network = useNetwork();
  const openConnect = useOpenConnect();
  // The loaded menu replaces the placeholder button, and takes over its focus.
  const hadFocus = useRef(false);
  const keepFocus = (button: HTMLElement | null) => {
    if (hadFocus.current) button?.focus();
    return () => {
      hadFocus.current = document.activeElement === button;
    };
  };
  // Both states render one element at the same position, so that keyboard users keep their place after connecting.
  if (status !== "connected" || address === null) {
    return (
      <span>
        <Button variant="primary" onClick={openConnect}>
          {text.connect}
        </Button>
      </span>
    );
  }
  const renderTrigger = (shown: string, full: string, onClick?: () => void) => (
    <Button ref={keepFocus} title={full} onClick={onClick}>
      <Avatar address={address} size={20} />
      <span className="sr-only">{text.account}</span>
      {shown}
      <Icon name="chevronDown" size={12} />
    </Button>
  );
  return (
    <span className="flex items-center gap-2">
      {network === "wrong_chain" && chain !== null ? <SwitchNetworkButton chainName={chain.name} /> : null}
      <WalletMenu
        address={address}
        renderTrigger={renderTrigger}
        fallback={renderTrigger(shortenAddress(address), address)}
        renderError={(retry) => renderTrigger(shortenAddress(address), address, retry)}
      />
    </span>
  );
}
