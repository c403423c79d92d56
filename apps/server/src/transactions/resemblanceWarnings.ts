import { findOfficialAsset, type OfficialAssets } from "@slipway/protocol/officialAssets";
import { checksummed } from "@slipway/protocol/primitives";

/** `resembles`: the earlier launch with which the name or symbol can be confused, in lower case; null without one. */
type ComparedToken = { name: string; symbol: string; resembles: string | null };

/**
 * Creates the warning about a name or symbol that can be confused with an official asset or an earlier launch; null
 * without a resemblance.
 */
export function createNameWarning({ name, symbol, resembles }: ComparedToken, official: OfficialAssets) {
  const asset = findOfficialAsset(official, [symbol, name]);
  if (asset === null && resembles === null) return null;
  const start = "The name or the symbol can be confused with";
  if (asset === null) {
    const token = checksummed(resembles!);
    return { code: "confusable_name" as const, message: `${start} that of ${token}, which was launched before.` };
  }
  const details = [asset.name === null ? "" : ` (${asset.name})`, asset.address === null ? "" : ` at ${asset.address}`];
  return {
    code: "confusable_name" as const,
    message: `${start} the official asset ${asset.symbol}${details.join("")}, which is another token.`,
  };
}

/**
 * Creates the warning about a picture that resembles that of an earlier launch.
 *
 * @param resembles - The earlier launch, in lower case.
 */
export function createImageWarning(resembles: string) {
  const message = `The picture resembles that of ${checksummed(resembles)}, which was launched before.`;
  return { code: "similar_image" as const, message };
}
