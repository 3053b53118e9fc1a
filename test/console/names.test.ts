/** What records are called in the console: by what they are, never by a bare figure. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Api, createApi } from '../../console/src/api.ts'
import { groups } from '../../console/src/contract.ts'
import { includesForNames, nameOf } from '../../console/src/names.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let api: Api
before(async () => {
  service = await openTestService()
  api = createApi({ origin: service.url, brand: 'aldermoor', key: await service.key('aldermoor') })
})
after(() => service.close())

describe('the name of a record', () => {
  const firstNamed = async (path: string, brought = true) => {
    const group = groups.find((each) => each.path === path)
    assert.ok(group, path)
    const include = brought ? includesForNames(group) : []
    const { items } = await api.list(path, { limit: 100, include })
    return items.map((row) => nameOf(group, row))
  }

  it('is what it is about, with its pieces or its number', async () => {
    for (const [path, pattern] of [
      ['orders', /^PO-5512$/],
      ['shipment-items', /^AM-1042-\w+-\w+ × \d+$/],
      ['inventory', /^AM-1042-\w+-\w+ × \d+$/],
      ['production-run-items', /^Harbour chore jacket \w+ \w+ × \d+$/],
      ['goods-receipt-lines', /^AM-1042-\w+-\w+ × \d+$/],
      ['quote-revisions', /^Q-\d+ rev \d+$/],
      ['production-runs', /^PO-5512 run \d+$/],
      ['order-amendments', /^PO-5512 rev \d+$/],
      ['legs', /^S-900\d leg \d+$/],
      ['shipment-cartons', /^(S-|Shipment carton )\S+$/],
      ['payment-settlements', /^PAY-\d+ · [\d,.]+$/],
      ['product-tags', /^.+ · .+$/],
    ] as const) {
      for (const name of await firstNamed(path)) assert.match(name, pattern, path)
    }
  })

  it('says that a figure counts pieces even where nothing else is known', async () => {
    for (const [path, pattern] of [
      ['shipment-items', /^Shipment item × \d+$/],
      ['inventory', /^Inventory level × \d+$/],
      ['quote-revisions', /^Revision \d+$/],
      ['product-tags', /^Product tag [0-9a-f]{8} · [0-9a-f]{8}$/],
    ] as const) {
      for (const name of await firstNamed(path, false)) assert.match(name, pattern, path)
    }
  })

  it('is never only a number, in any group', async () => {
    for (const { path, hasList } of groups) {
      if (!hasList) continue
      for (const brought of [true, false]) {
        for (const name of await firstNamed(path, brought)) {
          assert.doesNotMatch(name, /^[\d.,\s]*$/, path)
        }
      }
    }
  })
})
