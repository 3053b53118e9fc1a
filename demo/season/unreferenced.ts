import { date, moment, today } from './calendar.ts'
import type { SeasonContext } from './context.ts'
import type { Library } from './library.ts'
import { putPicture } from './pictures.ts'
import { people } from './story-records.ts'
import type { Style, StyleSource } from './styles.ts'

/** Styles that were never ordered: two ideas and a dropped one. */
export const putDroppedStyles = (source: StyleSource, style: Style): void => {
  const { put, random, library, codePrefix } = source
  const idea = (code: string, name: string, status: string, removed: boolean): string => {
    const id = random.id()
    const createdAt = moment(today - 220)
    const removedAt = removed ? moment(today - 70) : null
    put('parent-products', {
      id,
      code: `${codePrefix}-${code}`,
      name,
      status,
      categoryId: library.categoryIds.get('APP-JKT') ?? null,
      dimensionGroupId: style.range.groupId,
      ownerUserId: people.developer,
      department: 'unisex',
      createdAt,
      updatedAt: removedAt ?? createdAt,
      deletedAt: removedAt,
    })
    put('product-versions', {
      id: random.id(),
      productId: id,
      versionNumber: 1,
      label: 'Sketch',
      status: status === 'development' ? 'in_review' : 'draft',
      createdAt,
    })
    return id
  }
  idea('1901', 'Ropewalk smock', 'concept', false)
  const anorak = idea('1902', 'Beacon anorak', 'development', false)
  const dropped = idea('1903', 'Weir poncho', 'dropped', true)
  put('product-relations', {
    productId: dropped,
    relatedProductId: anorak,
    kind: 'replaced_by',
    createdAt: moment(today - 70),
  })
}

/** A booking that was cancelled before it had any items. */
export const putCancelledBooking = ({
  put,
  random,
  shared,
  places,
  carriers,
}: SeasonContext): void => {
  const createdAt = moment(today - 40)
  const cancelledAt = moment(today - 33)
  put('bookings', {
    id: random.id(),
    bookingNumber: 'B-9900',
    status: 'cancelled',
    mode: 'ocean',
    loadType: 'lcl',
    forwarderPartnerId: carriers[0]?.partnerId ?? null,
    courierId: shared.ocean[0] ?? null,
    originLocationId: places.idOf('CNSHA'),
    destinationLocationId: places.idOf('USNYC'),
    cargoReadyDate: date(today - 20),
    requestedAt: createdAt,
    createdAt,
    updatedAt: cancelledAt,
    deletedAt: cancelledAt,
  })
}

/** A swatch of each colour, and the brand's logo. */
export const putPalettePictures = (
  { put, random }: StyleSource,
  { colours }: Library,
  brand: string,
): void => {
  const createdAt = '2025-01-07T08:30:00.000Z'
  for (const { code, name, optionValueId } of colours) {
    putPicture(put, random, {
      kind: 'swatch',
      optionValueId,
      fileName: `swatch-${code}.png`,
      altText: name,
      createdAt,
    })
  }
  putPicture(put, random, { kind: 'logo', fileName: `${brand}.png`, altText: null, createdAt })
}
