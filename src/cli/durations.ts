import { readDuration } from '#operator'
import { CommandError } from './output.ts'

/** Formats milliseconds in the largest unit with a value of at least 2: 90 s, 12 min, 36 h, 4 d. */
export const formatDuration = (ms: number): string => {
  const whole = Math.round(ms / 1_000)
  if (whole < 120) return `${whole} s`
  if (whole < 7_200) return `${Math.round(whole / 60)} min`
  return whole < 172_800 ? `${Math.round(whole / 3_600)} h` : `${Math.round(whole / 86_400)} d`
}

const timeoutSecondsMax = 3_600

/** A timeout in milliseconds, from 1 second to 1 hour. */
export const readTimeout = (text: string): number => {
  const duration = readDuration(text)
  if (duration >= 1 && duration <= timeoutSecondsMax) return duration * 1_000
  throw new CommandError(`"${text}" is not a valid timeout. Use 1s to 1h, for example 30s.`)
}
