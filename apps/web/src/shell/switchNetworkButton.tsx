import { useMessages } from "../messages/useMessages.ts";
import { useChain } from "../session/services.tsx";
import { toSwitchText, useSwitchNetwork } from "../session/useSwitchNetwork.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

/** A button that asks the wallet to change to the chain of this deployment, and why the wallet has not changed. */
export function SwitchNetworkButton({ chainName }: { chainName: string }) {
  const { walletButton: text, wallet } = useMessages();
  const { isSwitching, fault, switchTo } = useSwitchNetwork();
  const chain = useChain();
  return (
    <>
      <Button variant="primary" busy={isSwitching} onClick={switchTo} className="max-sm:hidden">
        {text.switchTo(chainName)}
      </Button>
      {fault === null || chain === null ? null : (
        <div className="fixed end-3 top-16 z-20 w-[min(24rem,calc(100vw-1.5rem))]">
          <Notice live tone="warning">
            {toSwitchText(wallet, fault, chain)}
          </Notice>
        </div>
      )}
    </>
  );
}
