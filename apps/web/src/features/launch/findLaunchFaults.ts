import { parseAmount } from "../../format/amount.ts";
import { formatShare } from "../../format/figures.ts";
import type { Messages } from "../../messages/messages.ts";
import { importFile } from "../../ui/importFile.ts";
import type { FieldFaults } from "../../ui/useFieldFaults.ts";
import { type LaunchFields, sumShares, toIntent, toOptions, wholeBps } from "./formState.ts";
import { hasOpening, openingNames, toOpeningTerms } from "./openingTerms.ts";
import { isVanitySuffix } from "./vanitySuffix.ts";
import { hasVesting, toVesting, vestingNames } from "./vestingDays.ts";

/** Returns the faults of the form, including a missing picture. A chosen file counts as a picture before its upload. */
export async function findLaunchFaults(
  fields: LaunchFields,
  file: File | null,
  chainId: number,
  text: Messages["launch"],
): Promise<FieldFaults> {
  const { findFormFaults } = await importFile(() => import("./findFormFaults.ts"));
  const checked = file === null ? fields : { ...fields, imageUri: "https://picture.invalid/" };
  const found = new Map(findFormFaults(toIntent(checked, chainId), toOptions(fields)));
  if ((fields.initialBuy !== "" || hasVesting(fields)) && parseAmount(fields.initialBuy, 18) === null)
    found.set("initial_buy", text.amountError);
  if (hasVesting(fields) && toVesting(fields, Date.now()) === null)
    for (const name of vestingNames) found.set(name, text.vestingError);
  if (!isVanitySuffix(fields.vanity)) found.set("vanity", text.vanityError);
  if (hasOpening(fields)) {
    if (toOpeningTerms(fields) === null) for (const name of openingNames) found.set(name, text.openingError);
    if (fields.initialBuy !== "") found.set("initial_buy", text.openingBuyError);
    if (fields.vanity !== "") found.set("vanity", text.openingVanityError);
    if (fields.creator !== "") found.set("creator", text.openingCreatorError);
  }
  // The service counts in basis points, the form in percent.
  const sum = sumShares(fields.recipients);
  if (found.has("recipients") && sum !== wholeBps) found.set("recipients", text.sharesError(formatShare(sum)));
  if (found.has("image_uri") && fields.imageUri === "") found.set("image_uri", text.imageMissing);
  return found;
}
