/**
 * Makes text from a server safe to print on a terminal. Control and format characters could rewrite
 * the screen or reverse the direction of the text after them.
 */
export const printable = (text: string, max = 300): string => {
  const cleaned = text.slice(0, max * 2).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
  return cleaned.length > max ? `${cleaned.slice(0, max).replace(/\p{Cs}$/u, '')}…` : cleaned
}
