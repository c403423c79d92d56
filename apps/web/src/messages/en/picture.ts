/** Texts of the choice of a picture. */
export const picture = {
  image: "Picture",
  imageHint: "PNG, JPEG, GIF or WebP, at most 4 MiB",
  imageChoose: "Choose a picture",
  imageReplace: "Choose another",
  imageTooLarge: "The picture has more than 4 MiB.",
  imageType: "This is no PNG, JPEG, GIF or WebP.",
  imageUri: "Or the URI of a picture",
  imageUriHint: "ipfs:// or https://",
};
