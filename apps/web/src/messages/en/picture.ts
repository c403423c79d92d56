/** Texts of the image field. */
export const picture = {
  image: "Image",
  imageHint: "PNG, JPEG, GIF or WebP, at most 4 MiB",
  imageChoose: "Choose image",
  imageReplace: "Replace image",
  imageTooLarge: "The image is larger than 4 MiB.",
  imageType: "Use a PNG, JPEG, GIF or WebP image.",
  imageUri: "Or image URI",
  imageUriHint: "ipfs:// or https://",
};
