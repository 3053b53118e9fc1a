/** Up to 10 ms. Formatting a number takes several times as long as a lookup. */
const texts = Array.from({ length: 1_000 }, (_, hundredths) => String(hundredths / 100))

/** Milliseconds, rounded to hundredths. */
export const durationText = (ms: number): string => {
  const hundredths = Math.round(ms * 100)
  return texts[hundredths] ?? String(hundredths / 100)
}
