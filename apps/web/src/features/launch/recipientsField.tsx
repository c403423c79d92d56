import { formatShare, shortenAddress } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Select } from "../../ui/select.tsx";
import { SplitBar } from "../../ui/splitBar.tsx";
import type { FieldFaults } from "../../ui/useFieldFaults.ts";
import {
  createRow,
  maxRecipients,
  parsePercent,
  type RecipientRow,
  splitEvenly,
  sumShares,
  wholeBps,
} from "./formState.ts";

type RecipientsFieldProps = {
  rows: readonly RecipientRow[];
  /** The connected wallet, whose row has the label "you". */
  own: string | null;
  faults: FieldFaults;
  onChange: (rows: readonly RecipientRow[]) => void;
};

/** The fee recipients and their shares. The bar is full at 100%. */
export function RecipientsField({ rows, own, faults, onChange }: RecipientsFieldProps) {
  const { launch: text, ui } = useMessages();
  const sum = sumShares(rows);
  const fault = faults.get("recipients");
  const change = (id: string, changed: Partial<RecipientRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...changed } : row)));
  const toLabel = ({ wallet }: RecipientRow) =>
    own !== null && wallet.toLowerCase() === own ? text.me : wallet === "" ? "—" : shortenAddress(wallet);
  const state =
    sum === wholeBps
      ? text.full
      : sum < wholeBps
        ? text.left(formatShare(wholeBps - sum))
        : text.over(formatShare(sum - wholeBps));
  return (
    <fieldset className="flex min-w-0 flex-col gap-4">
      <legend className="sr-only">{text.recipients}</legend>
      <p className="text-sm text-muted">{text.recipientsHint}</p>
      <SplitBar
        label={text.recipients}
        parts={rows.map((row) => ({ key: row.id, label: toLabel(row), bps: parsePercent(row.percent) ?? 0 }))}
      />
      <p role="status" className={`text-sm font-semibold ${sum === wholeBps ? "text-buy" : "text-sell"}`}>
        {state}
      </p>
      <ul className="flex flex-col gap-4">
        {rows.map((row, index) => (
          <li key={row.id} className="flex flex-col gap-3 rounded-md bg-sunken p-3">
            <p className="flex items-center justify-between text-sm font-semibold">
              {text.recipientNumber(index + 1)}
              {rows.length > 1 ? (
                <Button
                  size="sm"
                  variant="quiet"
                  aria-label={text.removeRecipient(index + 1)}
                  onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
                >
                  <Icon name="close" />
                </Button>
              ) : null}
            </p>
            <div className="grid gap-3 sm:grid-cols-[1fr_7rem]">
              <Field label={text.recipientWallet} error={faults.get(`recipients.${index}.wallet`) ?? null}>
                {(control) => (
                  <Input
                    {...control}
                    value={row.wallet}
                    placeholder="0x"
                    spellCheck={false}
                    autoComplete="off"
                    onChange={(event) => change(row.id, { wallet: event.target.value })}
                  />
                )}
              </Field>
              <Field label={text.recipientShare} error={faults.get(`recipients.${index}.share_bps`) ?? null}>
                {(control) => (
                  <Input
                    {...control}
                    value={row.percent}
                    inputMode="decimal"
                    autoComplete="off"
                    onChange={(event) => change(row.id, { percent: event.target.value })}
                  />
                )}
              </Field>
            </div>
            <div className="grid gap-3 sm:grid-cols-[10rem_1fr]">
              <Select
                label={text.recipientLabel}
                value={row.provider}
                options={[
                  { value: "wallet", label: text.labelNone },
                  { value: "code_host", label: text.labelCodeHost },
                  { value: "social", label: text.labelSocial },
                ]}
                onChange={(provider) => change(row.id, { provider })}
              />
              {row.provider === "wallet" ? null : (
                <Field
                  label={text.handle}
                  hint={text.handleHint}
                  error={faults.get(`recipients.${index}.handle`) ?? null}
                >
                  {(control) => (
                    <Input
                      {...control}
                      value={row.handle}
                      onChange={(event) => change(row.id, { handle: event.target.value })}
                    />
                  )}
                </Field>
              )}
            </div>
          </li>
        ))}
      </ul>
      <p role="alert" className="text-sm font-semibold text-sell empty:hidden">
        {fault ? ui.fieldError(fault) : null}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          disabled={rows.length >= maxRecipients}
          onClick={() => onChange([...rows, createRow("", Math.max(0, wholeBps - sum))])}
        >
          <Icon name="plus" />
          {text.addRecipient}
        </Button>
        {rows.length > 1 ? (
          <Button size="sm" onClick={() => onChange(splitEvenly(rows))}>
            {text.splitEvenly}
          </Button>
        ) : null}
      </div>
    </fieldset>
  );
}
