import { numberFormat } from '../locale.ts'

const minuteMs = 60_000

/** A rounded duration in the largest fitting unit: `5 min`, `3 hr`, `2 days`. */
export const durationText = (ms: number): string => {
  const minutes = Math.floor(ms / minuteMs)
  const [count, unit] =
    minutes < 1
      ? [Math.floor(ms / 1_000), 'second']
      : minutes < 120
        ? [minutes, 'minute']
        : minutes < 2_880
          ? [Math.floor(minutes / 60), 'hour']
          : [Math.floor(minutes / 1_440), 'day']
  return numberFormat({ style: 'unit', unit, unitDisplay: 'short' }).format(count)
}
