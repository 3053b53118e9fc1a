import { amountText } from '../figures.ts'
import { numberFormat } from '../locale.ts'

/**
 * Converts a typed number from the viewer's locale to the form of the API: `1.500,50` in German is
 * 1500.50. Returns an empty string for no input, and null for an invalid number.
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

/** A number from the URL in the viewer's locale. */
export const shownNumber = (value: string | undefined): string =>
  value === undefined ? '' : amountText(value)
