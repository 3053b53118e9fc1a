import { type Cell, CivilTime } from '#mapping'

/** A double holds every number with this many digits. */
const exactDigits = 15

/** A number in decimal digits. One that a double would change stays a text, or becomes a whole number of any size. */
export const numberCell = (text: string): Cell => {
  if (/^-?\d+$/.test(text)) {
    const value = Number(text)
    return Number.isSafeInteger(value) ? value : BigInt(text)
  }
  const digits = text.replace(/^-?0*\.?0*/, '').replace('.', '')
  const value = Number(text)
  return digits.length > exactDigits || !Number.isFinite(value) ? text : value
}

/** A day and a time such as `2026-03-14 09:30:00.123456`, to the millisecond. */
export const civilCell = (text: string): CivilTime => {
  const [day = '', time = '00:00:00'] = text.split(' ')
  const [seconds = '', fraction = ''] = time.split('.')
  return new CivilTime(`${day}T${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`)
}

/** An array of one dimension, such as `{a,"b c",NULL}`. Others stay texts. */
export const arrayCell = (text: string): Cell => {
  if (!/^\{(?!\{)/.test(text)) return text
  const items = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)
  return [...items].map(([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1')
    return plain === 'NULL' ? null : (plain ?? '')
  })
}
