import type { OpenTotal, Scorecard } from '../../../client/src/index.ts'
import type { ScorecardSort } from '../../../src/contract/index.ts'
import { countText, moneyText, roundedMoneyText, shareText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { texts } from '../texts/index.ts'
import type { DerivedColumn, DerivedValue, RowsRequest } from './derived-column.ts'

type Scorecards = ReadonlyMap<string, Scorecard>

const scorecards: RowsRequest = {
  name: 'scorecards',
  read: async (api, rows, signal): Promise<Scorecards> => {
    const ids = rows.map(({ id }) => String(id))
    const { items } = await api.scorecards({ ids: ids.join() }, { limit: ids.length, signal })
    return new Map(items.map(({ id, scorecard }) => [id, scorecard]))
  },
}

/** A column that sorts by its name, and whose values lead to the scorecard. */
const column = (
  name: ScorecardSort,
  show: (scorecard: Scorecard) => DerivedValue | null,
): DerivedColumn => ({
  name,
  label: () => texts().explorer.scorecardColumns[name],
  meaning: () => texts().explorer.scorecardMeanings[name],
  fields: ['id'],
  request: scorecards,
  sort: name,
  isRight: true,
  value: ({ id }, { brand, response }) => {
    const scorecard = (response as Scorecards).get(String(id))
    const value = scorecard && show(scorecard)
    return value ? { ...value, link: recordLink(brand, 'suppliers', String(id)) } : null
  },
})

/** The value of the records in the base currency; in their own where no rate is known. */
const openValue = ({ items, pieces, amounts, base }: OpenTotal): DerivedValue | null => {
  if (items === 0) return null
  const own = amounts.map(({ currency, amount }) => moneyText(amount, currency)).join(' + ')
  const isKnown = base.withoutRate < items
  return {
    text: isKnown ? roundedMoneyText(base.amount, base.currency) : own,
    title: texts().explorer.openValue(items, pieces, own, isKnown ? base.withoutRate : 0),
  }
}

/** How suppliers deliver, from their scorecards. */
export const scorecardColumns: readonly DerivedColumn[] = [
  column('onTime', ({ onTime, late }) => {
    const all = onTime + late
    if (all === 0) return null
    return { text: shareText(onTime, all), title: texts().document.scorecard.ordersOf(onTime, all) }
  }),
  column('short', ({ shortLines, receiptLines, shortPieces }) => {
    if (receiptLines === 0) return null
    const title = texts().document.scorecard.shortNote(shortLines, receiptLines, shortPieces)
    return { text: shortLines === 0 ? countText(0) : shareText(shortLines, receiptLines), title }
  }),
  column('disputedBalance', ({ disputedBalance }) => openValue(disputedBalance)),
  column('openOrders', ({ openOrders }) => openValue(openOrders)),
]
