import { numberFormat } from '../locale.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A rounded size in the largest fitting unit, in steps of 1,000: `4.2 MB`. */
export const bytesText = (bytes: number): string => {
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1_000 ** power
  const places = power > 0 && amount < 10 ? 1 : 0
  return numberFormat({
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: places,
  }).format(amount)
}
