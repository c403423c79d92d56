import { useMessages } from "../messages/useMessages.ts";
import { useSwitchNetwork } from "../session/useSwitchNetwork.ts";
import { Button } from "../ui/button.tsx";

/** A button that asks the wallet to change to the chain of this deployment. */
export function SwitchNetworkButton({ chainName }: { chainName: string }) {
  const { walletButton: text } = useMessages();
  const { isSwitching, switchTo } = useSwitchNetwork();
  return (
    <Button variant="primary" busy={isSwitching} onClick={switchTo} className="max-sm:hidden">
      {text.switchTo(chainName)}
    </Button>
  );
}
