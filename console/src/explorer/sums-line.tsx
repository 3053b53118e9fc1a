import type { Field } from '../contract.ts'
import { countText, moneyText, roundedMoneyText } from '../figures.ts'
import type { MoneySum, Sums } from '../summary.ts'
import { fieldLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'

interface SumsLineProps {
  readonly fields: readonly Field[]
  readonly sums: Sums
}

/** The sums of a list or of a selection, each with its label. */
export const SumsLine = ({ fields, sums }: SumsLineProps) => (
  <dl className="sums">
    {fields.map((field) => {
      const sum = sums[field.name]
      if (sum === undefined) return null
      return (
        <div key={field.name}>
          <dt>{fieldLabel(field)}</dt>
          <dd className="number">
            {typeof sum === 'object' ? <Money sum={sum} /> : countText(Number(sum))}
          </dd>
        </div>
      )
    })}
  </dl>
)

/** Amounts by currency, and together in the base currency. */
export const Money = ({ sum }: { readonly sum: MoneySum }) => {
  const t = texts().explorer
  const { currencies, base } = sum
  const isOnlyBase = currencies.every(({ currency }) => currency === base?.currency)
  if (currencies.length === 0) return <span className="null">–</span>
  return (
    <>
      {currencies.map(({ currency, amount }) => (
        <span key={currency} className="sum-part" title={amount}>
          {moneyText(amount, currency)}
        </span>
      ))}
      {base && !isOnlyBase && <Base base={base} />}
      {base && base.withoutRate > 0 && (
        <span className="sum-part sum-unconverted">{t.unconverted(base.withoutRate)}</span>
      )}
    </>
  )
}

const Base = ({ base }: { readonly base: NonNullable<MoneySum['base']> }) => (
  <strong className="sum-part" title={base.amount}>
    {texts().explorer.sumInBase(roundedMoneyText(base.amount, base.currency))}
  </strong>
)
