/**
 * Text of a server, made safe to print on a terminal: control and format characters could rewrite
 * the screen or reverse the direction of what follows.
 */
export const printable = (text: string, max = 300): string => {
  const cleaned = text.slice(0, max * 2).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
  return cleaned.length > max ? `${cleaned.slice(0, max).replace(/\p{Cs}$/u, '')}…` : cleaned
}
