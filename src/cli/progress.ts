/** Shows how far a long piece of work is: a bar in a terminal, a line at its end elsewhere. */
export interface ProgressLine {
  /** `share` is how much is done, 0 to 1, or null when that is not known. */
  show(label: string, count: number, unit: string, share: number | null): void
  /** Ends the line with what became of it. */
  end(label: string, count: number, unit: string): void
}

const everyMs = 100
const barWidth = 24

export const createProgress = (
  out: NodeJS.WriteStream = process.stderr,
  now: () => number = () => performance.now(),
): ProgressLine => {
  let began: number | null = null
  let shownAt = 0
  const seconds = () => Math.max((now() - (began ?? now())) / 1_000, 0.001)
  const rate = (count: number, unit: string) =>
    `${Math.round(count / seconds()).toLocaleString('en')} ${unit}/s`

  return {
    show: (label, count, unit, share) => {
      began ??= now()
      if (!out.isTTY || now() - shownAt < everyMs) return
      shownAt = now()
      const filled = Math.round(barWidth * Math.min(share ?? 0, 1))
      const bar = share === null ? '' : `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} `
      const left =
        share === null || share <= 0
          ? ''
          : `, ${Math.ceil(Math.max(seconds() / share - seconds(), 0))} s left`
      out.write(
        `\r\u001b[K${bar}${label}  ${count.toLocaleString('en')} ${unit}, ${rate(count, unit)}${left}`,
      )
    },
    end: (label, count, unit) => {
      if (out.isTTY) out.write('\r\u001b[K')
      out.write(
        `${label}: ${count.toLocaleString('en')} ${count === 1 ? unit.replace(/s$/, '') : unit} in ${seconds().toFixed(1)} s (${rate(count, unit)})\n`,
      )
      began = null
    },
  }
}
