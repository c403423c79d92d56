import type { picture as en } from "../en/picture.ts";

export const picture: typeof en = {
  image: "Imagen",
  imageHint: "PNG, JPEG, GIF o WebP, como máximo 4 MiB",
  imageChoose: "Elegir imagen",
  imageReplace: "Cambiar imagen",
  imageTooLarge: "La imagen tiene más de 4 MiB.",
  imageType: "Use una imagen PNG, JPEG, GIF o WebP.",
  imageUri: "O URI de la imagen",
  imageUriHint: "ipfs:// o https://",
};
