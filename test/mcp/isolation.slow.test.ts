/** Whatever an agent asks of whichever group, it sees nothing of another brand. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { catalog, incomingLists, type Resource } from '#contract'
import type { Free } from '../support/agent.ts'
import {
  assertNothingIn,
  type Brand,
  brands,
  openBrandsModel,
  otherOf,
  ownId,
  shared,
  story,
  twins,
  writeBrands,
} from '../support/brands.ts'
import { openTestService, type TestService } from '../support/service.ts'

const model = openBrandsModel()
const { expected } = model

let service: TestService
const keys = new Map<Brand | 'global', string>()

before(async () => {
  // Refusals are counted by address; each of them here has one of its own.
  service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' }, { story: false })
  await writeBrands(model, { store: service.records.store })
  for (const brand of brands) keys.set(brand, await service.key(brand))
  keys.set('global', await service.key())
})

after(() => service.close())

interface ToolResult {
  readonly text: string
  readonly isError: boolean
  readonly body: Free
}

let addresses = 0

/** Calls a tool with a key, and looks through every byte of the answer for other brands. */
const call = async (
  as: Brand | 'global',
  tool: string,
  input: { readonly [name: string]: unknown },
  others: readonly Brand[],
): Promise<ToolResult> => {
  addresses += 1
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys.get(as)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': `fd00:0:0:${addresses.toString(16)}::1`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: input },
    }),
  })
  const bytes = await response.text()
  assert.equal(response.status, 200, bytes)
  const { result } = JSON.parse(bytes)
  const [{ text }] = result.content
  const where = `${tool} ${JSON.stringify(input)}`
  for (const each of [bytes, text, [...response.headers].join('\n')]) {
    assertNothingIn(each, others, where)
  }
  return { text, isError: result.isError === true, body: JSON.parse(text) }
}

const others = (brand: Brand) => brands.filter((each) => each !== brand)

/** Calls as the brand itself, and as a global key that names it: what they hear is the same. */
const both = async (
  brand: Brand,
  tool: string,
  input: { readonly [name: string]: unknown },
): Promise<ToolResult> => {
  const own = await call(brand, tool, input, others(brand))
  const global = await call('global', tool, { ...input, brand }, others(brand))
  assert.equal(global.isError, own.isError)
  if (own.isError) assert.equal(global.text, own.text)
  return own
}

/** An id of the group that all brands, or the twins, have. */
const commonId = ({ path, key }: Resource): string => {
  const [first] = story[path] ?? shared[path] ?? []
  return String(first?.[key[0] ?? 'id'])
}

const isBrands = ({ scope }: Resource) => scope === 'brand'
const canGet = ({ endpoints, lookup }: Resource) => endpoints.includes('get') && !lookup
const canList = ({ endpoints }: Resource) => endpoints.includes('list')
const byId = ['get_record', 'follow_references', 'trace_lineage'] as const

describe('each brand', () => {
  for (const resource of catalog.resources.filter(canList)) {
    it(`lists its own ${resource.path} and no other`, async () => {
      const fields = resource.key
      for (const brand of brands) {
        const input = { group: resource.path, fields, limit: 100 }
        const { body } = await both(brand, 'list_records', input)
        const all = expected(brand, resource)
        assert.equal(body.total, all.length)
        const shown = all.slice(0, body.shown)
        const idsOf = (records: readonly Free[]) =>
          records.map((record) => fields.map((name) => record[name]))
        assert.deepEqual(idsOf(body.records), idsOf(shown))
        // With everything in them, too.
        await call(brand, 'list_records', { group: resource.path }, others(brand))
      }
    })
  }

  for (const resource of catalog.resources.filter(canGet)) {
    it(`gets, follows and traces its own of ${resource.path} under an id that others have too`, async () => {
      const id = commonId(resource)
      for (const brand of isBrands(resource) ? twins : brands) {
        const record = expected(brand, resource).find((each) => each[resource.key[0] ?? ''] === id)
        const got = await both(brand, 'get_record', { group: resource.path, id })
        if (got.body.cut.length === 0) assert.deepEqual(got.body.record, record)
        for (const tool of ['follow_references', 'trace_lineage']) {
          const { isError, body } = await call(
            brand,
            tool,
            { group: resource.path, id },
            others(brand),
          )
          assert.ok(!isError, body.error)
        }
      }
    })
  }

  it('sees itself', async () => {
    for (const brand of brands) {
      const { body } = await both(brand, 'get_record', { group: 'brand' })
      assert.equal(body.record.slug, brand)
    }
  })

  it("does not follow a reference to another brand's record", async () => {
    let tried = 0
    for (const resource of catalog.resources.filter(isBrands).filter(canGet)) {
      const id = ownId('aldermoor', resource.path)
      const input = { group: resource.path, id, direction: 'out' }
      const { body } = await call('corvane', 'follow_references', input, others('corvane'))
      for (const { group, found } of body.out) {
        if (!isBrands(catalog.byPath.get(group) as Resource)) continue
        assert.equal(found, false, `${resource.path} → ${group}`)
        tried += 1
      }
    }
    assert.ok(tried > 50, `${tried} references were tried`)
  })
})

describe("another brand's records", () => {
  for (const resource of catalog.resources.filter(isBrands).filter(canGet)) {
    it(`of ${resource.path} are to every tool as what was never there`, async () => {
      for (const brand of twins) {
        const foreign = ownId(otherOf[brand], resource.path)
        await both(brand, 'get_record', { group: resource.path, id: foreign })
        for (const tool of byId) {
          const input = { group: resource.path, id: foreign }
          const got = await call(brand, tool, input, others(brand))
          assert.equal(got.body.errorCode, 'not_found', got.text)
          const never = { ...input, id: randomUUID() }
          assert.equal(got.text, (await call(brand, tool, never, others(brand))).text)
        }
      }
      // The record is there for the brand that has it.
      const own = { group: resource.path, id: ownId('birkholm', resource.path) }
      assert.ok(!(await call('birkholm', 'get_record', own, others('birkholm'))).isError)
    })
  }

  for (const resource of catalog.resources.filter(isBrands).filter(canGet)) {
    const lists = incomingLists(catalog, resource.path)
    if (lists.length === 0) continue
    it(`of ${resource.path} match nothing as a filter`, async () => {
      for (const { resource: listed, filter } of lists) {
        const filters = { [filter.name]: ownId('birkholm', resource.path) }
        const input = { group: listed.path, filters }
        const { body } = await call('aldermoor', 'list_records', input, others('aldermoor'))
        assert.equal(body.total, 0, `${listed.path} ${filter.name}`)
      }
    })
  }
})

describe('cursors', () => {
  for (const resource of catalog.resources.filter(canList)) {
    it(`of ${resource.path} are refused to another brand`, async () => {
      const input = { group: resource.path, limit: 1 }
      const { body } = await call('aldermoor', 'list_records', input, others('aldermoor'))
      const { cursor } = body.next.arguments
      const again = { ...input, cursor }
      assert.ok(!(await call('aldermoor', 'list_records', again, others('aldermoor'))).isError)
      const refused = await both('birkholm', 'list_records', again)
      assert.equal(refused.body.errorCode, 'cursor_mismatch')
      assert.deepEqual(refused.body.details, { different: ['brand'] })
    })
  }
})

describe('keys', () => {
  /** What is said of a brand that does not exist, by tool. */
  const heard = new Map<string, string>()

  for (const resource of catalog.resources) {
    it(`of a brand learn nothing of others from ${resource.path}`, async () => {
      const id = commonId(resource)
      const tools = [
        ...(canList(resource) ? ['list_records'] : []),
        ...(canGet(resource) ? byId : []),
      ]
      for (const tool of tools) {
        const input = { group: resource.path, ...(tool !== 'list_records' && { id }) }
        const hear = async (brand: string) => {
          const { body, text } = await call('aldermoor', tool, { ...input, brand }, [])
          assert.equal(body.errorCode, 'out_of_scope', text)
          return text.replaceAll(`"${brand}"`, '"…"')
        }
        const nobody = heard.get(tool) ?? (await hear('nobody'))
        heard.set(tool, nobody)
        assert.equal(await hear('birkholm'), nobody)
      }
    })
  }

  it('name the brands that they may read, and no other', async () => {
    for (const brand of brands) {
      const { body } = await call(brand, 'list_groups', {}, others(brand))
      assert.deepEqual(body.brands, [brand])
    }
    const { body } = await call('global', 'list_groups', {}, [])
    assert.deepEqual(body.brands, brands)
    const nobody = await call('global', 'list_records', { group: 'tags', brand: 'nobody' }, [])
    assert.equal(nobody.body.errorCode, 'not_found')
  })
})
