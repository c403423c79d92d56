import { useEffect } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { useConnection } from "./services.tsx";

/** The wallets of this browser, and the result of the last attempt to connect one. */
export function ConnectDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { wallet: text } = useMessages();
  const { status, wallet, wallets, isSilent, fault, connection } = useConnection();
  const isOpen = open && status !== "connected";
  // Closes the dialog after the connection, so that a later disconnection does not open it again.
  useEffect(() => {
    if (open && status === "connected") onClose();
  }, [open, status, onClose]);
  const close = () => {
    connection.cancel();
    onClose();
  };
  const faults = {
    declined: text.declined,
    busy: text.busy,
    no_account: text.noAccount,
    failed: text.connectFailed,
  };
  return (
    <Dialog open={isOpen} onClose={close} title={text.connectTitle} description={text.connectHint} sheet>
      <div className="flex flex-col gap-3">
        {status === "connecting" && wallet !== null ? (
          <Notice
            live
            tone={isSilent ? "warning" : "info"}
            title={isSilent ? text.silent : text.connecting(wallet.name)}
            actions={
              <>
                {isSilent ? (
                  <Button size="sm" variant="primary" onClick={() => void connection.connect(wallet.id)}>
                    {text.askAgain}
                  </Button>
                ) : null}
                <Button size="sm" onClick={() => connection.cancel()}>
                  {text.cancel}
                </Button>
              </>
            }
          >
            {text.connectingHelp}
          </Notice>
        ) : null}
        {fault === null ? null : (
          <Notice live tone={fault === "declined" ? "info" : "warning"}>
            {faults[fault]}
          </Notice>
        )}
        {wallets.length === 0 ? (
          <Notice title={text.noWallet}>{text.noWalletHelp}</Notice>
        ) : (
          <ul className="flex flex-col gap-2">
            {wallets.map(({ id, name, icon }) => (
              <li key={id}>
                <Button
                  className="w-full justify-start text-start"
                  size="lg"
                  busy={status === "connecting" && wallet?.id === id && !isSilent}
                  onClick={() => void connection.connect(id)}
                >
                  {icon === null ? null : <img src={icon} alt="" width={24} height={24} className="rounded-sm" />}
                  {name}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
