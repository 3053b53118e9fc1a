import { formatCount, isJsonObject, type JsonValue, valueAt } from '#contract'

/** A sentence about each sum of some figures that leaves records out. */
export const leftOutFigures = (figures: JsonValue | undefined, of = ''): readonly string[] => {
  const tooLong = valueAt(figures, 'tooLong')
  return [
    ...leftOutSentences(valueAt(figures, 'sum'), of),
    ...Object.entries(isJsonObject(tooLong) ? tooLong : {}).map(
      ([name, items]) =>
        `${of}${name} leaves out ${formatCount(Number(items), 'record')} with more digits than are accepted now.`,
    ),
  ]
}

/** A sentence about each sum that leaves records out of the base currency, with their amounts. */
export const leftOutSentences = (sums: JsonValue | undefined, of = ''): readonly string[] =>
  Object.entries(isJsonObject(sums) ? sums : {}).flatMap(([name, sum]) => {
    const leftOut = valueAt(sum, 'base.leftOut')
    if (!Array.isArray(leftOut) || leftOut.length === 0) return []
    const records = formatCount(Number(valueAt(sum, 'base.withoutRate')), 'record')
    const amounts = leftOut.filter(isJsonObject).slice(0, amountsMax).map(amountText).join(', ')
    const more = leftOut.length > amountsMax ? ' and others' : ''
    const currency = valueAt(sum, 'base.currency')
    return [`${of}${name} in ${currency} leaves out ${records} without a rate: ${amounts}${more}.`]
  })

/** Maximum number of amounts in a sentence. */
const amountsMax = 10

const amountText = ({ amount, currency, items }: { readonly [name: string]: JsonValue }): string =>
  `${amount} ${currency ?? 'without a currency'} (${items})`
