import { useState } from "react";
import { getReceiveCodeUrl, isAddress } from "../../data/getReceiveCodeUrl.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Field, Input } from "../../ui/field.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ReceiveCode } from "../../ui/receiveCode.tsx";

/**
 * A QR code for transfers of the token to a wallet.
 *
 * @param wallet - The connected wallet; without it the user types an address.
 */
export function ReceivePanel({ chainId, wallet = null }: { chainId: number; wallet?: string | null }) {
  const { token } = useMessages();
  const [typed, setTyped] = useState("");
  const address = wallet ?? typed.trim();
  const isWrong = typed.trim() !== "" && !isAddress(address);
  return (
    <Panel title={token.receiveTitle}>
      {wallet === null ? (
        <Field label={token.receiveField} error={isWrong ? token.receiveInvalid : null}>
          {(control) => (
            <Input
              {...control}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              placeholder="0x…"
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
      ) : null}
      {isAddress(address) ? (
        <div className="mt-3">
          <ReceiveCode address={address} src={getReceiveCodeUrl(address, chainId)} />
        </div>
      ) : null}
      <p className="mt-3 text-sm text-muted">{token.receiveHint}</p>
    </Panel>
  );
}
