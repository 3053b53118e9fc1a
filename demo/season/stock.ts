import { price } from './amounts.ts'
import { moment, today } from './calendar.ts'
import type { Warehouse } from './places.ts'
import type { Random } from './random.ts'
import type { Put } from './record-buffer.ts'
import { type Style, skuCountOf } from './styles.ts'

/**
 * The received and expected pieces of each SKU in each warehouse. This is all that a season keeps
 * of its orders: four numbers per SKU and warehouse.
 */
export interface Stock {
  readonly receive: (
    sku: number,
    warehouse: number,
    quantity: number,
    damaged: number,
    held: number,
  ) => void
  readonly expect: (sku: number, warehouse: number, quantity: number) => void
  /** The inventory of a style: a record for each SKU and warehouse with any pieces. */
  readonly putStyle: (put: Put, random: Random, style: Style) => void
}

const figures = 4
const [received, damaged, held, incoming] = [0, 1, 2, 3]

export const createStock = (skuCount: number, warehouses: readonly Warehouse[]): Stock => {
  const counts = new Int32Array(skuCount * warehouses.length * figures)
  const placeOf = (sku: number, warehouse: number): number =>
    (sku * warehouses.length + warehouse) * figures
  const add = (place: number, quantity: number): void => {
    counts[place] = (counts[place] ?? 0) + quantity
  }
  const countAt = (place: number): number => counts[place] ?? 0
  return {
    receive: (sku, warehouse, quantity, damagedQuantity, heldQuantity) => {
      const place = placeOf(sku, warehouse)
      add(place + received, quantity)
      add(place + damaged, damagedQuantity)
      add(place + held, heldQuantity)
    },
    expect: (sku, warehouse, quantity) => {
      add(placeOf(sku, warehouse) + incoming, quantity)
    },
    putStyle: (put, random, style) => {
      const first = style.colourways[0]?.firstSku ?? 0
      const skuIds = style.colourways.flatMap((colourway) => colourway.skuIds)
      for (let index = 0; index < skuCountOf(style); index += 1) {
        const skuId = skuIds[index]
        if (skuId === undefined) continue
        warehouses.forEach((warehouse, place) => {
          const from = placeOf(first + index, place)
          const came = countAt(from + received)
          const coming = countAt(from + incoming)
          if (came === 0 && coming === 0) return
          const broken = countAt(from + damaged)
          const onHold = countAt(from + held)
          const sound = came - broken - onHold
          // Some of the sound pieces were sold since; the others are free or reserved.
          const left = sound - random.below(sound + 1)
          const reserved = random.oneIn(40) ? left - Math.floor(left / 4) : Math.floor(left / 8)
          // A stock record is updated when goods move: some yesterday, most some days ago.
          const asOf = moment(today - 1 - Math.floor(random.below(36) ** 2 / 36), 22 * 60)
          put('inventory', {
            id: random.id(),
            skuId,
            locationId: warehouse.id,
            onHandQuantity: left + broken + onHold,
            availableQuantity: left - reserved,
            reservedQuantity: reserved,
            damagedQuantity: broken,
            qualityHoldQuantity: onHold,
            incomingQuantity: coming,
            unitCost: came === 0 ? null : price(style.garment.dollarTenths * 1250),
            countedAt: came > 0 && random.oneIn(3) ? moment(today - 30) : null,
            asOf,
            createdAt: moment(today - 45, 22 * 60),
            updatedAt: asOf,
          })
        })
      }
    },
  }
}
