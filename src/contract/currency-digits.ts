/** The currencies of ISO 4217 with another number of digits than two. */
const currenciesByDigits: { readonly [digits: number]: string } = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const digitsByCurrency = new Map(
  Object.entries(currenciesByDigits).flatMap(([digits, currencies]) =>
    currencies.split(' ').map((code) => [code, Number(digits)] as const),
  ),
)

/**
 * The decimal places of a currency's minor unit, as ISO 4217 has them. `Intl` follows what is
 * usual in shops instead, and has none for several currencies.
 */
export const currencyDigits = (code: string): number => digitsByCurrency.get(code) ?? 2
