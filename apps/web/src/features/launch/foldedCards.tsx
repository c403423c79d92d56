import { formatShare, shortenAddress } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { AmountField } from "../../ui/amountField.tsx";
import { Field, Input } from "../../ui/field.tsx";
import type { FieldFaults } from "../../ui/useFieldFaults.ts";
import { FeeTierCard } from "./feeTierCard.tsx";
import { FoldedCard } from "./foldedCard.tsx";
import { getRows, type LaunchFields, sumShares } from "./formState.ts";
import { OpeningFieldset } from "./openingFieldset.tsx";
import { hasOpening, openingNames } from "./openingTerms.ts";
import { RecipientsField } from "./recipientsField.tsx";
import { maxVanityDigits } from "./vanitySuffix.ts";
import { hasVesting, vestingNames } from "./vestingDays.ts";
import { VestingFields } from "./vestingFields.tsx";

type FoldedCardsProps = {
  fields: LaunchFields;
  change: (changed: Partial<LaunchFields>) => void;
  faults: FieldFaults;
  /** The connected wallet in lower case. */
  own: string | null;
  /** The symbol of the native asset. */
  symbol: string;
};

/** The parts of a launch that have a usable value from the start: recipients, trading fee, first buy, address and creator. */
export function FoldedCards({ fields, change, faults, own, symbol }: FoldedCardsProps) {
  const { launch: text } = useMessages();
  const fault = (name: string) => faults.get(name) ?? null;
  const { recipients, initialBuy, creator } = fields;
  const [first] = recipients;
  const isOwn = recipients.length === 1 && (first?.wallet === "" || first?.wallet.toLowerCase() === own);
  const to = isOwn
    ? text.me
    : recipients.length === 1
      ? shortenAddress(first?.wallet ?? "")
      : text.recipientsCount(recipients.length);
  return (
    <section aria-label={text.options} className="panel divide-y divide-line overflow-hidden">
      {getRows(fields).length === 0 ? null : (
        <FoldedCard
          title={text.recipients}
          value={text.recipientsTo(formatShare(sumShares(recipients)), to)}
          opens={[...faults.keys()].some((name) => name.startsWith("recipients"))}
        >
          <RecipientsField
            rows={recipients}
            own={own}
            faults={faults}
            onChange={(rows) => change({ recipients: rows })}
          />
        </FoldedCard>
      )}
      <FeeTierCard value={fields.feeBps} error={fault("fee_bps")} onChange={(feeBps) => change({ feeBps })} />
      <FoldedCard
        title={text.initialBuy}
        value={
          initialBuy === "" ? text.initialBuyNone : text.initialBuyOf(`${initialBuy} ${symbol}`, hasVesting(fields))
        }
        opens={["initial_buy", ...vestingNames].some((name) => faults.has(name))}
      >
        <AmountField
          label={text.initialBuy}
          hint={text.initialBuyHint}
          value={initialBuy}
          decimals={18}
          symbol={symbol}
          onChange={(typed) => change({ initialBuy: typed })}
          error={fault("initial_buy")}
        />
        <VestingFields value={fields} faults={faults} onChange={change} />
      </FoldedCard>
      <FoldedCard
        title={text.vanity}
        value={fields.vanity === "" ? text.vanityAny : text.vanityEnds(fields.vanity)}
        opens={fault("vanity") !== null}
      >
        <Field label={text.vanityLabel} hint={text.vanityHint} error={fault("vanity")}>
          {(control) => (
            <Input
              {...control}
              value={fields.vanity}
              maxLength={maxVanityDigits}
              spellCheck={false}
              autoCapitalize="none"
              autoComplete="off"
              onChange={(event) => change({ vanity: event.target.value.trim() })}
            />
          )}
        </Field>
      </FoldedCard>
      <FoldedCard
        title={text.opening}
        value={hasOpening(fields) ? text.openingChosen(`${fields.openingMinimum} ${symbol}`) : text.openingNone}
        opens={openingNames.some((name) => faults.has(name))}
      >
        <OpeningFieldset value={fields} faults={faults} symbol={symbol} onChange={change} />
      </FoldedCard>
      <FoldedCard
        title={text.creator}
        value={creator === "" ? text.creatorConnected : shortenAddress(creator)}
        opens={fault("creator") !== null}
      >
        <Field label={text.creatorAddress} hint={text.creatorHint} error={fault("creator")}>
          {(control) => (
            <Input
              {...control}
              value={creator}
              placeholder="0x"
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => change({ creator: event.target.value })}
            />
          )}
        </Field>
      </FoldedCard>
    </section>
  );
}
