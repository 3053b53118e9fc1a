/** Shows the progress of a long task: a bar in a terminal, otherwise one line at its end. */
export interface ProgressLine {
  /** `share` is the fraction done, from 0 to 1, or null if unknown; `unit` is a plural. */
  show(label: string, count: number, unit: string, share: number | null): void
  /** Replaces the bar by a line with the result. */
  end(label: string, count: number, unit: string): void
}

const everyMs = 100
const barWidth = 24

export const createProgress = (
  out: NodeJS.WriteStream = process.stderr,
  now: () => number = () => performance.now(),
): ProgressLine => {
  let startedAt: number | null = null
  let shownAt = 0
  const seconds = () => Math.max((now() - (startedAt ?? now())) / 1_000, 0.001)
  const rate = (count: number, unit: string) =>
    `${Math.round(count / seconds()).toLocaleString('en')} ${unit}/s`

  return {
    show: (label, count, unit, share) => {
      startedAt ??= now()
      if (!out.isTTY || now() - shownAt < everyMs) return
      shownAt = now()
      const filled = Math.round(barWidth * Math.min(share ?? 0, 1))
      const bar = share === null ? '' : `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} `
      const left =
        share === null || share <= 0
          ? ''
          : `, ${Math.ceil(Math.max(seconds() / share - seconds(), 0))} s left`
      out.write(`\r\u001b[K${bar}${label}  ${amountOf(count, unit)}, ${rate(count, unit)}${left}`)
    },
    end: (label, count, unit) => {
      if (out.isTTY) out.write('\r\u001b[K')
      out.write(
        `${label}: ${amountOf(count, unit)} in ${seconds().toFixed(1)} s (${rate(count, unit)})\n`,
      )
      startedAt = null
    },
  }
}

const amountOf = (count: number, units: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? units.replace(/s$/, '') : units}`
