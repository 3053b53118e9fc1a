import { amountText } from '../figures.ts'
import { numberFormat } from '../locale.ts'

/**
 * A number that somebody typed in the form of their locale, as the API takes it: `1.500,50` in German
 * is 1500.50. Empty for nothing, null for what is not a number.
 */
export const typedNumber = (text: string): string | null => {
  const parts = numberFormat({}).formatToParts(-1_234_567.8)
  const partOf = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  const plain = text
    .replaceAll(/[\s\u00a0\u202f]/g, '')
    .replaceAll(partOf('group').trim() || ' ', '')
    .replace(partOf('decimal'), '.')
    .replace('−', '-')
  if (plain === '') return ''
  return /^-?\d{1,30}(\.\d{1,30})?$/.test(plain) ? plain.replace(/^(-?)0+(?=\d)/, '$1') : null
}

/** A number of the URL in the form of the locale. */
export const shownNumber = (value: string | undefined): string =>
  value === undefined ? '' : amountText(value)
