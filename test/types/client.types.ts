/** Checked by the compiler alone: each line that must not compile is expected not to. */

import {
  type BrandReader,
  createClient,
  type Groups,
  type Lists,
  type Order,
  type Page,
  SelvedgeError,
  type Supplier,
} from '#client'
import type { definitions, RecordOf } from '#contract'

export const client = createClient({ url: 'https://records.example', key: 'slv_' })

export const filters = async ({ packingLists, productionRuns, tags }: BrandReader) => {
  await packingLists.list({ orderId: 'x', reference: 'x', limit: 10, cursor: 'x' })
  await packingLists.list({ orderId: undefined })
  await productionRuns.list({ runNumber: 3 })
  await packingLists.total({ supplierId: 'x' })
  // @ts-expect-error there is no such filter
  await packingLists.list({ orderID: 'x' })
  // @ts-expect-error nor for a walk
  packingLists.all({ colour: 'x' })
  // @ts-expect-error nor for a total
  await packingLists.total({ colour: 'x' })
  // @ts-expect-error a total has no pages
  await packingLists.total({ limit: 10 })
  // @ts-expect-error a filter of another group
  await tags.list({ orderId: 'x' })
  // @ts-expect-error an identifier is a text
  await packingLists.list({ orderId: 3 })
  // @ts-expect-error an integer filter is a number
  await productionRuns.list({ runNumber: '3' })
  // @ts-expect-error null is not a value to look for
  await packingLists.list({ orderId: null })
  // @ts-expect-error the number of records is a number
  await packingLists.list({ limit: '10' })
}

export const includes = async (
  { packingLists, tags }: BrandReader,
  names: ('order' | 'supplier')[],
) => {
  const list = await packingLists.get('x', { include: ['order', 'supplier'] })
  const order: Order | null = list.order
  const supplier: Supplier | null = list.supplier
  const number: string | undefined = list.order?.orderNumber
  // @ts-expect-error the reference may be null
  list.order.orderNumber
  // @ts-expect-error it was not asked for
  list.shipment
  const plain = await packingLists.get('x')
  // @ts-expect-error it was not asked for
  plain.order
  // @ts-expect-error there is no such relation
  await packingLists.get('x', { include: ['orders'] })
  // @ts-expect-error a group without references has none
  await tags.get('x', { include: ['order'] })
  const some = await packingLists.get('x', { include: names })
  const perhaps: Order | null | undefined = some.order
  // @ts-expect-error which of them are there is known when it runs
  const surely: Order | null = some.order
  const page: Page<{ readonly order: Order | null }> = await packingLists.list({
    include: ['order'],
  })
  for await (const { id, document } of packingLists.all({ include: ['document'] })) {
    const pair: readonly [string, string | undefined] = [id, document?.id]
    return { order, supplier, number, perhaps, surely, page, pair }
  }
  return undefined
}

export const endpoints = async (brand: BrandReader) => {
  const { name } = await brand.get()
  const { url } = await brand.images.content('x')
  const picture: Blob = await brand.images.download('x')
  // @ts-expect-error its identity is made of several fields: it has no get
  await brand.productTags.get('x')
  // @ts-expect-error only images have content
  await brand.documents.content('x')
  // @ts-expect-error there is no such group
  brand.packingList
  // @ts-expect-error the brand is not listed
  brand.brand
  return { name, url, picture }
}

export const records = async ({ packingLists, partners }: BrandReader) => {
  const list = await packingLists.get('x')
  const cartons: number | null = list.statedTotalCartons
  // @ts-expect-error an amount is a string
  const volume: number | null = list.statedVolumeCbm
  // @ts-expect-error records are not written to
  list.grain = 'sku'
  const status: string = (await partners.get('x')).relationship.status
  return { cartons, volume, status }
}

export const failures = (error: unknown) => {
  if (!(error instanceof SelvedgeError)) return
  if (error.code === 'rate_limited' || error.code === 'timeout') return
  const [problem] = error.problems
  const status: readonly [number | undefined, string | undefined] = [error.status, error.requestId]
  // @ts-expect-error a problem names a parameter
  problem?.field
  return status
}

/** Options are checked too. */
// @ts-expect-error the key is missing
createClient({ url: 'https://records.example' })
// @ts-expect-error there is no such option
createClient({ url: 'https://records.example', key: 'slv_', retries: 3 })

/** The records, filters and groups are those of the contract: whatever differs has a name here. */
type Contract = typeof definitions
type Name = keyof Groups
type RecordIn<G> = G extends Lists<infer R, infer _F, infer _I> ? R : never
type FiltersIn<G> = G extends Lists<infer _R, infer F, infer _I> ? F : never
type None<T extends never> = T
type Differ<A, B> = [A] extends [B] ? ([B] extends [A] ? false : true) : true
type Where<T extends { [N in Name]: boolean }> = {
  [N in Name]: T[N] extends false ? never : N
}[Name]

export const otherGroups: Differ<Name, Exclude<keyof Contract, 'brand'>> = false
export type OtherRecords = None<
  Where<{ [N in Name]: Differ<RecordIn<Groups[N]>, RecordOf<Contract[N]>> }>
>
export type OtherFilters = None<
  Where<{
    [N in Name]: Differ<keyof FiltersIn<Groups[N]>, Contract[N]['filters'][number]['name']>
  }>
>
