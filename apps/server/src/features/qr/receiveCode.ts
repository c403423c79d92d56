import { create } from "qrcode";
import { ReadyAnswer } from "../../http/readyAnswer.ts";
import { strongEtag } from "../../readModel/readyJson.ts";
import { blackAndWhitePng } from "./blackAndWhitePng.ts";

/** The white border, in modules. */
const quietZone = 4;

/** A text as a QR code (ISO/IEC 18004, error correction M, quiet zone of four modules): black on white PNG. */
export function receiveCode(text: string): ReadyAnswer {
  const { size, data } = create(text, { errorCorrectionLevel: "M" }).modules;
  const isInside = (at: number) => at >= 0 && at < size;
  const png = blackAndWhitePng(size + 2 * quietZone, (column, row) => {
    const [x, y] = [column - quietZone, row - quietZone];
    return isInside(x) && isInside(y) && data[y * size + x] === 1;
  });
  return new ReadyAnswer(png, strongEtag(png), "image/png");
}
