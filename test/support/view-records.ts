/** Records around the limits of every view: random statuses, and dates around today and midnight. */
import { catalog, resourceAt, startOfDay } from '#contract'
import { type DemoRecord, openStory } from '#demo'
import { seeded } from './model.ts'
import { viewModel } from './view-model.ts'

/** The collections that views look into or that have amounts, beside those that have views. */
const others = [
  'packing-lists',
  'payment-agreements',
  'order-items',
  'invoice-lines',
  'payment-settlements',
  'payment-receipts',
  'shipment-charges',
  'boms',
]

/** The collections that records are drawn of. */
export const drawnCollections: readonly string[] = [...Object.keys(viewModel), ...others]

const { records: story } = await openStory()

type Draw = <Value>(values: readonly Value[]) => Value

/** Days before and after today that a view could tell apart. */
const offsets = [-40, -8, -7, -6, -2, -1, -1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 29, 30, 31, 90]

export const drawViewRecords = (
  seed: number,
  today: string,
  timezone: string,
  size = 300,
): { readonly [path: string]: readonly DemoRecord[] } => {
  const random = seeded(seed)
  const draw: Draw = (values) => values[random(values.length)] as never
  const dateAt = (days: number) =>
    new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10)
  const timeAt = (days: number) => {
    const start = startOfDay(timezone, dateAt(days))
    return new Date(start + draw([-1, 0, 1, 3_600_000, -3_600_000, 43_200_000])).toISOString()
  }
  const idAt = (path: string, index: number) => {
    const number = drawnCollections.indexOf(path) * 100_000 + index
    return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  }
  const drawField = (path: string, name: string, template: DemoRecord) => {
    const field = resourceAt(catalog, path).fields[name]
    const ends = { deletedAt: 65, cancelledAt: 85 } as const
    const isNull = field?.nullable === true && random(100) < (ends[name as keyof typeof ends] ?? 45)
    if (isNull) return null
    if (field?.kind === 'ref' && field.to && drawnCollections.includes(field.to)) {
      return idAt(field.to, random(size))
    }
    if (name === 'createdAt' || name === 'updatedAt') return template[name]
    switch (field?.kind) {
      case 'date':
        return dateAt(draw(offsets))
      case 'timestamp':
        return timeAt(draw(offsets))
      case 'text':
        return field.values && name !== 'kind' ? draw(field.values) : template[name]
      case 'integer':
        return draw([0, 0, 1, 1, 2, 3, 10])
      case 'amount':
        return draw(['-1.00', '0.00', '0', '0.01', '10.5', '1250.75'])
      default:
        return template[name]
    }
  }
  return Object.fromEntries(
    drawnCollections.map((path) => {
      const [template = {}] = story[path] ?? []
      const { title } = resourceAt(catalog, path)
      const numbered = resourceAt(catalog, path).unique.flat()
      return [
        path,
        Array.from({ length: size }, (_, index) => {
          const drawn = Object.keys(template).map((name) => [name, drawField(path, name, template)])
          const record = Object.fromEntries(drawn) as Record<string, unknown>
          record['id'] = idAt(path, index)
          if (title && typeof template[title] === 'string') record[title] = `N-${index}`
          for (const name of numbered) {
            const { kind } = resourceAt(catalog, path).fields[name] ?? {}
            if (kind === 'integer') record[name] = index + 1
          }
          return record as DemoRecord
        }),
      ]
    }),
  )
}
