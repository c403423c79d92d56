import type { ReactNode } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Button, type ButtonVariant } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useChain, useConnection } from "./services.tsx";
import { useOpenConnect } from "./servicesProvider.tsx";
import { useNetwork } from "./useNetwork.ts";
import { toSwitchText, useSwitchNetwork } from "./useSwitchNetwork.ts";

type ActionButtonProps = {
  /** Called only with a connected account on the right chain. */
  onClick: () => void;
  children: ReactNode;
  variant?: ButtonVariant;
  disabled?: boolean;
  busy?: boolean;
  className?: string;
};

/** A button for an action that needs a wallet. Without one on the right chain, it connects or switches the chain. */
export function ActionButton({
  onClick,
  children,
  variant = "primary",
  disabled,
  busy,
  className = "",
}: ActionButtonProps) {
  const { wallet: text } = useMessages();
  const { status } = useConnection();
  const chain = useChain();
  const openConnect = useOpenConnect();
  const network = useNetwork();
  const { isSwitching, fault, switchTo } = useSwitchNetwork();
  const classes = `w-full ${className}`;
  if (status !== "connected") {
    return (
      <Button variant="primary" size="lg" className={classes} onClick={openConnect}>
        {text.connect}
      </Button>
    );
  }
  if (chain === null) return <Notice>{text.noDeployment}</Notice>;
  if (network === "other_network") {
    return (
      <Notice live tone="error">
        {text.otherNetwork(chain.name)}
      </Notice>
    );
  }
  if (network === "wrong_chain") {
    return (
      <div className="flex flex-col gap-2">
        <Button variant="primary" size="lg" className={classes} busy={isSwitching} onClick={switchTo}>
          {isSwitching ? text.switching(chain.name) : text.switchTo(chain.name)}
        </Button>
        <p role="status" className="text-sm text-muted">
          {fault === null ? text.wrongChain(chain.name) : toSwitchText(text, fault, chain)}
        </p>
      </div>
    );
  }
  return (
    <Button variant={variant} size="lg" className={classes} disabled={disabled} busy={busy} onClick={onClick}>
      {children}
    </Button>
  );
}
