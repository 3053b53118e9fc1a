import type { ReactNode } from 'react'
import type { Scorecard as Figures, OpenTotal } from '../../../client/src/index.ts'
import { countText, dayText, moneyText, shareText } from '../figures.ts'
import { texts } from '../texts/index.ts'

/** The deliveries of a supplier in the last 12 months, with the counts behind each share. */
export const Scorecard = ({ figures }: { figures: Figures }) => {
  const { scorecard } = texts().document
  const { onTime, late, daysLate, receiptLines, shortLines, shortPieces, prices } = figures
  const measured = onTime + late
  return (
    <section className="scorecard" aria-labelledby="scorecard-title">
      <h2 id="scorecard-title">
        {scorecard.title}{' '}
        <span className="quiet small">{scorecard.since(dayText(figures.from))}</span>
      </h2>
      <dl>
        <Tile
          title={scorecard.onTime}
          value={measured === 0 ? null : shareText(onTime, measured)}
          note={scorecard.ordersOf(onTime, measured)}
        />
        <Tile
          title={scorecard.daysLate}
          value={late === 0 ? null : countText(Math.round((daysLate / late) * 10) / 10)}
          note={scorecard.lateOrders(late)}
        />
        <Tile
          title={scorecard.short}
          value={receiptLines === 0 ? null : shareText(shortLines, receiptLines)}
          note={scorecard.shortNote(shortLines, receiptLines, shortPieces)}
        />
        <Tile
          title={scorecard.prices}
          value={countText(prices.higher + prices.lower)}
          note={scorecard.pricesNote(prices.higher, prices.lower, prices.same)}
        />
        <Tile
          title={scorecard.openOrders}
          value={countText(figures.openOrders.items)}
          note={<Amounts total={figures.openOrders} />}
        />
        <Tile
          title={scorecard.openBalance}
          value={<Amounts total={figures.openBalance} />}
          note={scorecard.overdue(
            figures.overdueBalance.items,
            figures.overdueBalance.amounts
              .map(({ currency, amount }) => moneyText(amount, currency))
              .join(' + '),
          )}
        />
        <Tile
          title={scorecard.disputed}
          value={<Amounts total={figures.disputedBalance} />}
          note={scorecard.invoices(figures.disputedBalance.items)}
        />
      </dl>
    </section>
  )
}

const Tile = ({ title, value, note }: { title: string; value: ReactNode; note: ReactNode }) => (
  <div>
    <dt>{title}</dt>
    <dd className="tile-value">{value ?? '–'}</dd>
    <dd className="quiet small">{note}</dd>
  </div>
)

const Amounts = ({ total: { amounts } }: { total: OpenTotal }) =>
  amounts.length === 0
    ? '–'
    : amounts.map(({ currency, amount }) => (
        <span className="tile-amount" key={currency}>
          {moneyText(amount, currency)}
        </span>
      ))
