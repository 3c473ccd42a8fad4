/* Names as they are compared: letters of any script, without accents, and digits; all else parts words. */
export const plain = (text) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]+/g, "")
    .replaceAll("ß", "ss")
    .replace(/[^\p{L}\p{M}\p{N}+#]+/gu, " ")
    .trim();
