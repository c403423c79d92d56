import { toBuffer } from "qrcode";
import { ReadyAnswer } from "../../http/readyAnswer.ts";
import { strongEtag } from "../../readModel/readyJson.ts";

/** A text as a QR code (ISO/IEC 18004, error correction M, quiet zone of four modules): black on white PNG. */
export async function receiveCode(text: string): Promise<ReadyAnswer> {
  const png = await toBuffer(text, { type: "png", errorCorrectionLevel: "M", margin: 4, scale: 8 });
  return new ReadyAnswer(png, strongEtag(png), "image/png");
}
